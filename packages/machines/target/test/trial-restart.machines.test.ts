import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { isAlive } from '@davit/testing/processes'
import { notingShells } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { afterAll, describe, expect, test } from 'vitest'

import { beginTrial, observeMachine, revertTrial } from '../src/target.ts'
import { closeScenes } from './scene.ts'
import { active, directory, hasEnded, openTrial, perform, stepsOf, takeCalls, terms, watcherOf } from './trial-scene.ts'
import { testCalls } from './functions.ts'

afterAll(closeScenes)

describe.concurrent.each(notingShells())('a restart of the machine during a trial, with $name', (shell) => {
  test('has it go back, and start all services again', async () => {
    const opened = await openTrial(shell)
    const { scene, trial, machine } = opened
    for (const key of ['a', 'b']) await perform(scene, 'activate', key)
    await beginTrial(machine, trial, terms(stepsOf(scene, 'stop new', 'stop b', 'stop a', 'start a', 'start b')))
    await perform(scene, 'activate', 'new')
    const watcher = watcherOf(scene)
    process.kill(-watcher, 'SIGKILL')
    // As if it had been armed during another boot, and so had all activities.
    writeFileSync(join(directory(scene), 'deadline'), 'other-boot 99999999\n')
    for (const key of ['a', 'b', 'new']) {
      const record = scene.path(`state/targets/t1/active/default/process:${key}/record`)
      writeFileSync(record, readFileSync(record, 'utf8').replace(/^boot .*/m, 'boot other-boot'))
    }
    for (const key of ['a', 'b']) {
      const record = join(directory(scene), `before/process:${key}/record`)
      writeFileSync(record, readFileSync(record, 'utf8').replace(/^boot .*/m, 'boot other-boot'))
    }
    takeCalls(scene)
    await until(() => expect(isAlive(watcher)).toBe(false))
    // Whoever looks has it begin, as an init system would.
    await observeMachine(scene.machine, scene.profile)
    await hasEnded(opened)
    expect(takeCalls(scene)).toEqual([
      'deactivate new 80',
      'deactivate b 80',
      'deactivate a 80',
      'activate a 80',
      'activate b 80',
    ])
    expect(await active(scene)).toEqual(['a active 80', 'b active 80'])
    const record = scene.read('state/targets/t1/active/default/process:a/record')
    expect(record.match(/^boot .*/gm)).toEqual([`boot ${machine.facts.bootId}`])
  })

  test('leaves alone what its module reports to run', async () => {
    const opened = await openTrial(shell)
    const { scene, trial, machine } = opened
    for (const key of ['a', 'b']) await perform(scene, 'activate', key)
    await beginTrial(machine, trial, terms(stepsOf(scene, 'stop b', 'stop a', 'start a', 'start b')))
    const record = (place: string, key: string) => scene.path(`state/targets/t1/${place}/process:${key}/record`)
    for (const [place, key] of [
      ['active/default', 'a'],
      ['active/default', 'b'],
      ['trials/default/before', 'a'],
      ['trials/default/before', 'b'],
    ] as const) {
      const text = readFileSync(record(place, key), 'utf8')
      writeFileSync(record(place, key), text.replace(/^boot .*/m, 'boot other-boot'))
      writeFileSync(`${/^module (.*)$/m.exec(text)?.[1]}.activities`, 'activate\ndeactivate\nstatus\n')
    }
    scene.write('broken', 'status b\n')
    takeCalls(scene)
    await revertTrial(machine, trial)
    await hasEnded(opened)
    const calls = takeCalls(scene).filter((call) => !call.startsWith('status'))
    expect(calls).toEqual(['deactivate b 80', 'activate b 80'])
  })

  testCalls(shell, 'trial-restart')
})
