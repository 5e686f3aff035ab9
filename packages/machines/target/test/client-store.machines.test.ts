import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { StorePath, StoreReference } from '@davit/documents'
import { type NixStore, openStore } from '@davit/store'
import { noPrivateNix, type PrivateNix, privateNixOfFile } from '@davit/testing/private-nix'
import { shellsInDepth } from '@davit/testing/shells'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { openTargetStore, setProfile } from '../src/target.ts'
import { ClientScene, closeClientScenes } from './client-scene.ts'
import { buildClosures, type Closure, linesOf, validOf } from './testing.ts'

afterAll(closeClientScenes)

const MINUTE = 60_000
const { signal } = new AbortController()
const store: StoreReference = { kind: 'nix', directory: '/nix/store' }
const [dash] = shellsInDepth()

describe.skipIf(noPrivateNix !== undefined)('the Nix store of a machine behind a client executable', () => {
  const here = privateNixOfFile()
  const there = privateNixOfFile()
  let closureOf: (label: string) => Closure
  beforeAll(() => {
    closureOf = buildClosures(here, ['sent', 'cut', 'set'])
  }, MINUTE)

  async function open() {
    const within = (nix: PrivateNix) => join(nix.directory, 'bin/in-private-nix')
    const scene = new ClientScene(dash!, {
      within: within(there),
      here: { within: within(here), environment: { NIX_CONF_DIR: join(here.directory, 'conf') } },
    })
    const opened = (await openStore(store, here)) as NixStore
    const machine = await scene.machine('carry')
    return { scene, targetStore: openTargetStore({ name: scene.mapping.target, machine }, opened) }
  }

  test('gets what it lacks, once', async () => {
    const { scene, targetStore } = await open()
    const closure = closureOf('sent')
    expect(await targetStore.missing(closure)).toEqual(closure)
    expect(await targetStore.send(closure, { signal })).toMatchObject({ paths: 2 })
    expect(validOf(there, closure)).toEqual(closure)
    expect(await targetStore.missing(closure)).toEqual([])
    await targetStore.protect([closure[1]])
    expect(await targetStore.send([], { signal })).toEqual({ paths: 0, bytes: 0 })
    expect(scene.calls().map((call) => call.split(' ')[0])).toEqual([
      '--print-invalid',
      '--import',
      '--print-invalid',
      '--print-invalid',
    ])
  })

  test('gives back what is valid there, and is not believed to have what it lacks', async () => {
    const { scene, targetStore } = await open()
    const closure = buildClosures(there, ['brought'])('brought')
    expect(await targetStore.bring([closure[1]], { signal })).toMatchObject({ paths: 2 })
    expect(validOf(here, closure)).toEqual(closure)
    expect(readdirSync(scene.there('')).filter((name) => name.startsWith('export'))).toEqual([])
    const next = buildClosures(there, ['kept'])('kept')
    const files = ['note', 'directory/note', 'empty'].map((name) => scene.there(name))
    mkdirSync(scene.there('directory'))
    for (const file of files) writeFileSync(file, file.endsWith('empty') ? '' : 'nothing of Nix\n')
    for (const said of [...files, scene.there('directory'), 'note', scene.there('absent'), '/dev/zero']) {
      scene.spoil(`[ "$operation" != export ] || { echo '${said}'; exit 0; }`)
      await expect(targetStore.bring([next[1]], { signal })).rejects.toThrow(`printed '${said}', which is no answer`)
    }
    expect(files.filter((file) => !existsSync(file))).toEqual([])
    for (const said of ['', closure[1]]) {
      scene.spoil(`[ "$operation" != query-requisites ] || { echo '${said}'; exit 0; }`)
      await expect(targetStore.bring([next[1]], { signal })).rejects.toMatchObject({
        code: 'client-failed',
        message: expect.stringContaining(`printed a closure of '${next[1]}' without that path`) as string,
      })
    }
    scene.spoil('')
    const absent = `/nix/store/${'0'.repeat(32)}-absent` as StorePath
    await expect(targetStore.bring([absent], { signal })).rejects.toMatchObject({ code: 'invalid-path' })
  })

  test('builds derivations, and the outputs come back', async () => {
    const { targetStore } = await open()
    const expression = (name: string, script: string) =>
      `derivation { name = "${name}"; system = builtins.currentSystem; builder = "/bin/sh"; args = [ "-c" "${script}" ]; }`
    const instantiate = (name: string, script: string) =>
      here.shell('nix-instantiate --expr "$1" 2>/dev/null', expression(name, script)).trim() as StorePath
    const [good, bad] = [instantiate('good', 'echo built >$out'), instantiate('bad', 'exit 1')]
    const closures = linesOf(here.shell('nix-store -qR "$@"', good, bad)) as StorePath[]
    await targetStore.send(await targetStore.missing(closures, { signal }), { signal })
    const outcomes = await targetStore.build([good, bad], { cores: 2, report: () => {}, signal })
    expect(outcomes).toMatchObject([
      { kind: 'built' },
      { kind: 'failed', reason: expect.stringContaining('--realise') },
    ])
    await targetStore.fetch([good], { signal })
    const [output] = linesOf(here.shell('nix-store -q --outputs "$1"', good))
    expect(here.shell('cat "$1"', output!)).toBe('built\n')
  })

  test('is not believed if it reports success without having imported', async () => {
    const { scene, targetStore } = await open()
    scene.spoil('[ "$operation" != import ] || exit 0')
    await expect(targetStore.send(closureOf('cut'), { signal })).rejects.toThrow(/reported no error, but '.*-cut-a'/)
    scene.spoil('[ "$operation" != print-invalid ] || { echo /nix/store; exit 0; }')
    await expect(targetStore.missing(closureOf('cut'))).rejects.toThrow("printed '/nix/store', which is no answer")
    const strange = `/nix/store/${'0'.repeat(32)}-strange`
    scene.spoil(`[ "$operation" != print-invalid ] || { echo ${strange}; exit 0; }`)
    await expect(targetStore.missing(closureOf('cut'))).rejects.toThrow(`printed '${strange}', which is no answer`)
  })

  test('keeps the profile that is set', async () => {
    const { scene, targetStore } = await open()
    const closure = closureOf('set')
    await targetStore.send(closure, { signal })
    const { profile, mapping } = scene
    const { target } = mapping
    const machine = await scene.machine('deploy')
    const set = { target, profile, token: '-', path: closure[1], store, generations: 'add' } as const
    // The profile is a root here as well, since the coordinator has the packages that it has built.
    await expect(setProfile(machine, set)).resolves.toEqual({ generation: 1 })
    expect(there.shell('readlink -f /nix/var/nix/profiles/disnix/default').trim()).toBe(closure[1])
  })
})

test('a native store cannot be carried by a client executable', async () => {
  const scene = new ClientScene(dash!)
  const machine = await scene.machine('carry')
  const native = { kind: 'native' } as Parameters<typeof openTargetStore>[1]
  expect(() => openTargetStore({ name: scene.mapping.target, machine }, native)).toThrow(
    'a client executable can only carry packages of the Nix store',
  )
})
