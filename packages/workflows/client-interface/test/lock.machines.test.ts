import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'

import type { ShellConnection } from '@davit/connection/testing'
import { sampleOf } from '@davit/testing/effort'
import { scratchDirectory } from '@davit/testing/scratch'
import { installedShells } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { beforeEach, describe, expect, test } from 'vitest'

import { lockProfile, print, unlockProfile } from '../src/client-interface.ts'
import { type Scene, sceneOf } from './scene.ts'

const KEYS = { a: 'a'.repeat(64), b: 'b'.repeat(64), c: 'c'.repeat(64) }

describe.each(installedShells())('the lock of a profile in $name', (shell) => {
  const some = (names: readonly string[]) => (shell.inDepth ? names : sampleOf(names, 1))
  let scene: Scene
  let file: string
  let temporary: string

  beforeEach(() => {
    temporary = scratchDirectory()
    scene = sceneOf(shell, { NIX_STATE_DIR: join(temporary, 'nix'), TMPDIR: temporary })
    file = join(temporary, 'disnix-shop.lock')
  })

  const place = () => ({ profile: 'shop', directories: [] })
  const calls = () =>
    existsSync(join(temporary, 'calls')) ? readFileSync(join(temporary, 'calls'), 'utf8').split('\n').slice(0, -1) : []

  /** Has a profile with two wrappers and a process; a file `refuse-NAME` makes one refuse. */
  const deploy = (middle = '') => {
    const component = (name: string) => {
      const script = `#!/bin/sh\necho "$1 ${name} in $2" >>${temporary}/calls\n[ "$1" != lock ] || [ ! -e ${temporary}/refuse-${name} ] || exit 1\nwhile [ -e ${temporary}/hold-${name} ]; do sleep 0.05; done\n`
      return scene.write(`components/${'0'.repeat(32)}-${name}/bin/wrapper`, script, 0o755).replace('/bin/wrapper', '')
    }
    const service = (key: string, name: string, type: string) =>
      `<service name="${key}"><name>${name}</name><pkg>${component(name)}</pkg><type>${type}</type><dependsOn/><connectsTo/></service>`
    const mapping = (key: string, container: string) =>
      `<mapping><container>${container}</container><service>${key}</service></mapping>`
    const text = `<?xml version="1.0"?>
<profilemanifest version="2"><services>${service(KEYS.a, 'first', 'wrapper')}${service(KEYS.b, 'second', 'wrapper')}${service(KEYS.c, 'third', 'process')}</services>
<serviceMappings>${mapping(KEYS.a, 'wrapper')}${mapping(KEYS.b, 'box')}${mapping(KEYS.c, 'process')}</serviceMappings>${middle}<snapshotMappings/></profilemanifest>`
    const made = scene.write('profile/profilemanifest.xml', text)
    const { uid, username } = userInfo()
    const profiles = join(temporary, 'nix/profiles', uid === 0 ? 'disnix' : `per-user/${username}/disnix`)
    mkdirSync(profiles, { recursive: true })
    symlinkSync(join(made, '..'), join(profiles, 'shop'))
  }

  test('is a file, made once and removed once', async () => {
    expect(await lockProfile(scene.client, place())).toBe(0)
    expect(existsSync(file)).toBe(true)
    await expect(lockProfile(scene.client, place())).rejects.toMatchObject({ code: 'already-locked' })
    expect(existsSync(file)).toBe(true)
    expect(await unlockProfile(scene.client, place())).toBe(0)
    expect(existsSync(file)).toBe(false)
    await expect(unlockProfile(scene.client, place())).rejects.toMatchObject({ code: 'not-locked' })
  })

  test('can be removed whatever it is', async () => {
    const made = join(temporary, 'made')
    mkdirSync(join(temporary, 'directory'))
    for (const make of [
      () => symlinkSync('/nowhere', file),
      () => symlinkSync(made, file),
      () => symlinkSync(join(temporary, 'directory'), file),
      () => spawnSync('mkfifo', [file]),
    ]) {
      make()
      await expect(lockProfile(scene.client, place())).rejects.toMatchObject({ code: 'already-locked' })
      expect(await unlockProfile(scene.client, place())).toBe(0)
      expect([existsSync(made), readdirSync(temporary)]).toEqual([false, ['directory']])
    }
    expect(await lockProfile(scene.client, place())).toBe(0)
  })

  test.skipIf(shell.name === 'busybox')('is not taken if something appears there meanwhile', async () => {
    const made = join(temporary, 'directory')
    mkdirSync(made)
    const appears = (what: string) => scene.write('bin/mktemp', `#!/bin/sh\n${what}\nexec /bin/mktemp "$@"\n`, 0o755)
    const bin = appears('').replace('/mktemp', '')
    const hasty = sceneOf(shell, { TMPDIR: temporary, PATH: `${bin}:${shell.path}` })
    for (const what of [`ln -s ${made} ${file}`, `mkfifo ${file}`, `: >${file}`]) {
      appears(what)
      await expect(lockProfile(hasty.client, place())).rejects.toMatchObject({ code: 'already-locked' })
      expect([readdirSync(temporary).toSorted(), readdirSync(made)]).toEqual([['directory', 'disnix-shop.lock'], []])
      rmSync(file)
    }
  })

  test('asks the services of the profile', async () => {
    deploy()
    expect(await lockProfile(scene.client, place())).toBe(0)
    expect(calls()).toEqual(['lock first in wrapper', 'lock second in box'])
    expect(await unlockProfile(scene.client, place())).toBe(0)
    expect(calls().slice(2)).toEqual(['unlock first in wrapper', 'unlock second in box'])
  })

  test('is not taken if a service refuses; all are told', async () => {
    deploy()
    writeFileSync(join(temporary, 'refuse-first'), '')
    expect(await lockProfile(scene.client, place())).toBe(1)
    expect(calls()).toEqual([
      'lock first in wrapper',
      'lock second in box',
      'unlock first in wrapper',
      'unlock second in box',
    ])
    expect(existsSync(file)).toBe(false)
    expect(scene.take().said).toMatch(/'lock' of 'first' in 'wrapper' ended with status 1/)
  })

  test.each(['connection', 'script'])('leaves nobody locked without it if the %s ends meanwhile', async (which) => {
    deploy()
    const connection = scene.client.connection as ShellConnection
    writeFileSync(join(temporary, 'hold-first'), '')
    const locking = lockProfile(scene.client, place()).catch(() => 1)
    await until(() => expect(calls()).toEqual(['lock first in wrapper']))
    if (which === 'connection') connection.hangUp()
    else for (const pid of connection.pids) process.kill(pid, 'SIGTERM')
    rmSync(join(temporary, 'hold-first'))
    await locking
    await until(() => expect(connection.pids.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]))
    const locked = calls().filter((call) => call.startsWith('lock'))
    const unlocked = calls().filter((call) => call.startsWith('unlock'))
    const isKept = existsSync(file) && locked.length === 2
    expect(unlocked).toEqual(isKept ? [] : ['unlock first in wrapper', 'unlock second in box'])
  })

  test('is not taken if the profile manifest is damaged', async () => {
    deploy('<nonsense')
    await expect(lockProfile(scene.client, place())).rejects.toMatchObject({ code: 'invalid-document' })
    expect(existsSync(file)).toBe(false)
    expect(calls()).toEqual([])
  })

  test('has the profile that is asked for', async () => {
    expect(await print(scene.client, 'query_installed', ['shop'])).toBe(0)
    expect(scene.take().printed).toBe('')
    deploy()
    expect(await print(scene.client, 'query_installed', ['shop'])).toBe(0)
    expect(scene.take().printed).toMatch(/^<\?xml[^]*<\/profilemanifest>$/)
  })

  test.each(some(['..', 'a/b', '$(id)', "it's", '-x', '']))('has no profile %j', async (profile) => {
    for (const work of [lockProfile, unlockProfile])
      await expect(work(scene.client, { profile, directories: [] })).rejects.toMatchObject({ code: 'bad-request' })
    await expect(print(scene.client, 'query_installed', [profile])).rejects.toMatchObject({ code: 'bad-request' })
  })
})
