import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

import { installedShells } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { afterAll, describe, expect, test } from 'vitest'

import { performActivity } from '../src/target.ts'
import { closeScenes, Scene } from './scene.ts'

afterAll(closeScenes)

const MEGABYTE = 1024 * 1024

describe.concurrent.each(installedShells())('the log of activities on a machine with $name', (shell) => {
  const logs = (scene: Scene) => join(scene.directory, 'state/targets/t1/log/default')
  const sizeOf = (scene: Scene, suffix: string) =>
    statSync(join(logs(scene), `process:key.activate${suffix}`), { throwIfNoEntry: false })?.size ?? 0
  const size = (scene: Scene) => ['', '.1', '.2', '.3'].reduce((sum, suffix) => sum + sizeOf(scene, suffix), 0)
  const readLog = (scene: Scene, suffix = '') =>
    readFileSync(join(logs(scene), `process:key.activate${suffix}`), 'latin1')

  test.runIf(shell.inDepth)('never blocks or kills them; keeps 3 to 4 MB, and how much is left out', async () => {
    const scene = await Scene.open(shell)
    scene.module('echo first; yes "$(printf %2000d 7)" | head -c 40000000; echo; echo last; exit 5')
    const result = await performActivity(scene.machine, scene.request('activate'))
    expect(result).toMatchObject({
      message: 'its module ended with status 5',
      log: expect.stringMatching(/\nlast\n$/),
    })
    expect(readLog(scene).slice(0, 6)).toBe('first\n')
    const [beginning, end] = [sizeOf(scene, ''), sizeOf(scene, '.2') + sizeOf(scene, '.3')]
    const [, leftOut] = /^\n\.\.\. (\d+) bytes left out \.\.\.\n$/.exec(readLog(scene, '.1')) ?? []
    expect(beginning + Number(leftOut) + end).toBe('first\n'.length + 40_000_000 + '\nlast\n'.length)
    for (const [bytes, least] of [
      [beginning, 2 * MEGABYTE],
      [end, MEGABYTE],
    ] as const) {
      expect(bytes).toBeGreaterThanOrEqual(least)
      expect(bytes).toBeLessThan(2 * MEGABYTE + 10_000)
    }
  })

  test.runIf(shell.inDepth)('is complete unless it is large, however often they write', async () => {
    const scene = await Scene.open(shell)
    const lines = Array.from({ length: 30_000 }, (_, index) => `line ${index}\n`)
    scene.module('number=0; while [ $number -lt 30000 ]; do echo "line $number"; number=$((number + 1)); done; exit 1')
    const result = await performActivity(scene.machine, scene.request('activate'))
    expect(result).toMatchObject({ log: expect.stringMatching(/\nline 29999\n$/) })
    expect(readdirSync(logs(scene))).toEqual(['process:key.activate'])
    expect(readLog(scene) === lines.join('')).toBe(true)
  })

  test('is private to the account, in all parts, as is its pipe', async () => {
    const scene = await Scene.open(shell)
    scene.module('exec 9>&1; stat -L -c %a /proc/self/fd/9 >"$D/mode"; yes | head -c 6000000')
    await performActivity(scene.machine, scene.request('activate'))
    expect(scene.read('mode')).toBe('600\n')
    await until(() => expect(sizeOf(scene, '.3')).toBe(6_000_000 - 5 * MEGABYTE))
    const modes = readdirSync(logs(scene)).map((name) => (statSync(join(logs(scene), name)).mode & 0o777).toString(8))
    expect(modes).toEqual(['600', '600', '600', '600'])
  })

  test.runIf(shell.inDepth)('of a background process may be endless, and is not waited for', async () => {
    const scene = await Scene.open(shell)
    scene.module(
      `{ while [ ! -e "$D/go" ] && [ -e "$D" ]; do yes | head -c 2000000; touch "$D/printed"; done; echo whole >"$D/end"; } &`,
    )
    expect(await performActivity(scene.machine, scene.request('activate'))).toEqual({ kind: 'succeeded' })
    await until(() => expect(scene.has('printed')).toBe(true))
    await until(() => expect(readdirSync(logs(scene))).toContain('process:key.activate.1'))
    scene.write('go')
    await until(() => expect(scene.read('end')).toBe('whole\n'))
    expect(size(scene)).toBeLessThan(5_000_000)
  })
})
