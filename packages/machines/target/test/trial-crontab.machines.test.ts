import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'

import { removeTree } from '@davit/files'
import { installedShells } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'

import { acquireLock, beginTrial, confirmTrial, type Trial } from '../src/target.ts'
import { closeScenes, Scene } from './scene.ts'

afterAll(closeScenes)

/** In Busybox, `id` is part of the shell. */
const shells = installedShells().filter(({ name }) => name !== 'busybox')

describe.each(shells)('the table of cron of an account without privileges, with $name', (shell) => {
  const open = async (list: string, within = userInfo().homedir) => {
    const tools = mkdtempSync(join(tmpdir(), 'davit-crontab-'))
    // The daemon, as far as anybody can see.
    symlinkSync('/bin/sleep', join(tools, 'cron'))
    const daemon = spawn(join(tools, 'cron'), ['1000'], { stdio: 'ignore' })
    onTestFinished(() => {
      daemon.kill()
      removeTree(tools)
    })
    const table = join(tools, 'table')
    const program = (name: string, script: string) =>
      writeFileSync(join(tools, name), `#!/bin/sh\nT='${table}'\n${script}\n`, { mode: 0o755 })
    program('id', 'case $1 in -un) echo anna ;; *) echo 1000 ;; esac')
    program('crontab', `case $1 in -l) ${list} ;; *) : >"$T.called"; cat >"$T" ;; esac`)
    // The table is that of `tools`.
    const environment = { DAVIT_BOOT_ROOT: '' }
    const scene = await Scene.open({ ...shell, path: `${tools}:${shell.path}` }, { environment }, within)
    const place = { target: 't1' as never, profile: scene.profile }
    await acquireLock(scene.machine, place, { token: 'token', owner: 'me', leaseSeconds: 60 })
    const trial: Trial = { ...place, id: 'trial-1' }
    const machine = await scene.machineFor('trial')
    const begin = () => beginTrial(machine, trial, { token: 'token', seconds: 1000, limitSeconds: 600, steps: [] })
    const confirm = async () => confirmTrial(await scene.machineFor('confirm'), trial)
    return { scene, table, begin, confirm, read: () => readFileSync(table, 'utf8') }
  }
  const LIST = `[ ! -e "$T" ] && echo 'no crontab for anna' >&2 && exit 1; cat "$T"`

  test('starts the watcher after a restart, and is as it was before in the end', async () => {
    const { scene, table, begin, confirm, read } = await open(LIST)
    expect(await begin()).toBe('cron')
    const line = read()
    expect(line).toMatch(/^@reboot find \/ .* \|\| exec \/bin\/sh \S+\n$/)
    expect(line.trimEnd().endsWith(` ${scene.path('state/targets/t1/trials/default/script')}`)).toBe(true)
    writeFileSync(table, `# mine\n0 * * * * true\n${line}`)
    expect(await confirm()).toBe(true)
    expect(read()).toBe('# mine\n0 * * * * true\n')
  })

  test('is left alone if others may put something in the place of what it would start', async () => {
    const { table, begin, confirm } = await open(LIST, tmpdir())
    expect(await begin()).toBe('none')
    expect(await confirm()).toBe(true)
    expect([existsSync(table), existsSync(`${table}.called`)]).toEqual([false, false])
  })

  test('is left alone if it cannot be read', async () => {
    const { table, begin, confirm, read } = await open('echo "crontab: permission denied" >&2; exit 1')
    writeFileSync(table, '# mine\n')
    expect(await begin()).toBe('none')
    expect(read()).toBe('# mine\n')
    expect(await confirm()).toBe(true)
    expect([read(), existsSync(`${table}.called`)]).toEqual(['# mine\n', false])
  })

  test('is not emptied if it cannot be read any more in the end', async () => {
    const { table, begin, confirm, read } = await open(`[ ! -e "$T.broken" ] || exit 1; ${LIST}`)
    writeFileSync(table, '# mine\n')
    expect(await begin()).toBe('cron')
    const whole = read()
    writeFileSync(`${table}.broken`, '')
    expect(await confirm()).toBe(true)
    expect(read()).toBe(whole)
  })

  test('is changed by one target at a time', async () => {
    const { scene, table, begin, confirm } = await open(LIST)
    const claim = scene.path('state/crontab')
    const [, start = ''] = /\) \S+ (?:\S+ ){18}(\d+)/.exec(readFileSync('/proc/self/stat', 'utf8')) ?? []
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    symlinkSync(`${process.pid}:${start}:${boot}`, claim)
    const begun = begin()
    await until(() => expect(scene.has('state/targets/t1/trials/.new.default/detached')).toBe(true))
    expect([existsSync(table), scene.has('state/targets/t1/trials/default')]).toEqual([false, false])
    rmSync(claim)
    expect(await begun).toBe('cron')
    expect(await confirm()).toBe(true)
  })
})
