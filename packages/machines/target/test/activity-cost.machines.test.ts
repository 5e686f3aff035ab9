import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { removeTree } from '@davit/files'
import { isAlive } from '@davit/testing/processes'
import { shellsInDepth } from '@davit/testing/shells'
import { noStrace, stracing } from '@davit/testing/system-calls'
import { until } from '@davit/testing/wait'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'

import { performActivity } from '../src/target.ts'
import { closeScenes, Scene } from './scene.ts'

afterAll(closeScenes)

/**
 * Processes for an activation and a deactivation. Each has three for the helper, two for the log, one that finds out whether env(1) can reset
 * signals, and one for the module.
 */
const PROCESSES: Readonly<Record<string, number>> = { dash: 27, bash: 31, busybox: 27 }

describe.skipIf(noStrace !== undefined).each(shellsInDepth())('an activity on a machine with $name', (shell) => {
  /** System calls of a helper that activates and deactivates a service so often. */
  const costOf = async (times: number) => {
    const directory = mkdtempSync(join(tmpdir(), 'davit-cost-'))
    onTestFinished(() => removeTree(directory))
    const [within, calls] = [join(directory, 'within'), join(directory, 'calls')]
    const tracing = stracing(calls, 'clone', 'clone3', 'fork', 'vfork', 'fsync', 'fdatasync')
    writeFileSync(within, `#!/bin/sh\nexec ${tracing.join(' ')} "$@"\n`, { mode: 0o755 })
    const scene = await Scene.open(shell, { within })
    scene.module('exit 0', ['activate', 'deactivate'])
    for (let round = 0; round < times; round += 1) {
      for (const activity of ['activate', 'deactivate'] as const) {
        expect(await performActivity(scene.machine, scene.request(activity))).toEqual({ kind: 'succeeded' })
      }
    }
    scene.machine.close()
    // It ends with the last process that it traces.
    await until(() => expect(scene.connection.pids.some(isAlive)).toBe(false))
    const lines = readFileSync(calls, 'utf8').split('\n')
    const count = (call: RegExp) => lines.filter((line) => call.test(line)).length
    return { processes: count(/\b(clone3?|v?fork)\b.* = [1-9]\d*$/), syncs: count(/\bf(data)?sync\b.* = 0$/) }
  }

  test('takes few processes and syncs', async () => {
    const [once, twice, thrice] = [await costOf(1), await costOf(2), await costOf(3)]
    // The first one makes directories and resolves the module.
    expect(once.processes).toBeLessThan(twice.processes)
    // Of the second round, the activation also removes an old log, and so does the deactivation.
    const processes = (PROCESSES[shell.name] ?? 0) + 2
    expect(thrice.processes - twice.processes).toBe(processes)
    // The record; the state and two names; the outcome; then the intention to deactivate.
    expect(thrice.syncs - twice.syncs).toBe(6)
  })
})
