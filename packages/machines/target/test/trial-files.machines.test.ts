import { lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { scratchDirectory } from '@davit/testing/scratch'
import { installedShells } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { afterAll, describe, expect, test } from 'vitest'

import { beginTrial, confirmTrial, revertTrial } from '../src/target.ts'
import { closeScenes } from './scene.ts'
import { directory, hasEnded, openTrial, perform, stepsOf, terms } from './trial-scene.ts'

afterAll(closeScenes)

const program = (path: string, script: string) => writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 })

describe.each(installedShells())('files of a trial on a machine with $name', (shell) => {
  test.each(['000', '022'])('are private, with umask %s', async (umask) => {
    const within = join(scratchDirectory(), 'within')
    program(within, `umask ${umask}; exec "$@"`)
    const opened = await openTrial(shell, undefined, { within })
    const { scene, trial, machine } = opened
    await perform(scene, 'activate', 'old')
    await beginTrial(machine, trial, terms(stepsOf(scene, 'stop old', 'start old')))
    const trials = join(directory(scene), '..')
    const open = () =>
      readdirSync(trials, { recursive: true, encoding: 'utf8' })
        .filter((name) => !lstatSync(join(trials, name)).isSymbolicLink())
        .filter((name) => (lstatSync(join(trials, name)).mode & 0o077) !== 0)
    expect(readdirSync(directory(scene))).toEqual(expect.arrayContaining(['before', 'script', 'secrets', 'detached']))
    expect([lstatSync(trials).mode & 0o777, open()]).toEqual([0o700, []])
    await revertTrial(machine, trial)
    await hasEnded(opened)
    const left = () => expect(readdirSync(trials).toSorted()).toEqual(['.ended.default', '.log.default'])
    await until(left)
    expect(open()).toEqual([])
  })

  // In Busybox, `sync` is part of the shell.
  test.skipIf(shell.name === 'busybox')('are on the disk before the trial counts', async () => {
    const tools = scratchDirectory()
    const opened = await openTrial(shell, tools)
    const { scene, trial, machine } = opened
    await perform(scene, 'activate', 'old')
    const [log, place] = [join(tools, 'log'), directory(scene)]
    program(
      join(tools, 'sync'),
      `[ -d '${place}' ] && when=after || when=before
for path; do echo "$when $path" >>'${log}'; done`,
    )
    await beginTrial(machine, trial, terms(stepsOf(scene, 'stop old', 'start old')))
    const steps = readFileSync(log, 'utf8').trimEnd().split('\n')
    const prepared = join(place, '../.new.default')
    const names = readdirSync(place).filter((name) => name !== 'watcher')
    expect(names.length).toBeGreaterThan(7)
    const record = ['record', 'state'].map((name) => `before/process:old/${name}`)
    const before = [...names, ...record, '.'].map((name) => `before ${join(prepared, name)}`)
    expect(steps).toEqual(expect.arrayContaining(before))
    expect(steps.at(-1)).toBe(`after ${join(place, '..')}`)
    expect(await confirmTrial(await scene.machineFor('confirm'), trial)).toBe(true)
  })
})
