import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isAlive } from '@davit/testing/processes'
import type { Shell } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { describe, expect, test } from 'vitest'
import { configured, installedShells, Scene } from './scene.ts'

const shells = installedShells()

/** Not every kernel tells sessions with the same number apart. */
const hasGroups = existsSync('/proc/self/autogroup')
if (!hasGroups) console.error('SKIPPED: sessions that are told apart by the group that the scheduler makes of each')

/** Workers in the session of the program, without its environment; one of them ignores TERM. */
const WORKERS = `
env -i sh -c 'exec sleep 1000' & echo $! >"$SCENE/first"
env -i sh -c 'trap "" TERM; while :; do sleep 1; done' & echo $! >"$SCENE/second"
`
const WITH_WORKERS = { 'bin/web': `#!/bin/sh\n${WORKERS}exec sleep 1000\n` }

describe.concurrent.each(shells)('the session of a process under $name', (shell) => {
  test.each(['deactivate', 'activate'])('is stopped with %s after its leader has died', async (activity) => {
    const { scene, workers } = await leaderless(shell)
    expect(workers.map(isAlive)).toEqual([true, true])
    expect(await scene.call(activity, { stopTimeout: '1' })).toMatchObject({ status: 0 })
    expect(workers.map(isAlive)).toEqual([false, false])
    expect(await scene.call('deactivate', { stopTimeout: '1' })).toMatchObject({ status: 0 })
  })

  test.runIf(shell.inDepth)('is stopped when a daemon has died that did not lead it', async () => {
    const daemon = `#!/bin/sh
setsid sh -c '(env -i sh -c "exec sleep 1000" & echo $! >"$SCENE/first"; exec sleep 1000) & echo $! >"$SCENE/web.pid"' &
`
    const scene = new Scene(shell, configured('pidFile="$SCENE/web.pid"\n', { 'bin/start': daemon }))
    expect(await scene.call('activate')).toMatchObject({ status: 0 })
    await begun(scene, ['first'])
    const [pid, worker] = [scene.pid(), scene.pidIn('first')]
    expect(sessionOf(worker)).not.toBe(pid)
    process.kill(pid, 'SIGKILL')
    await until(() => !existsSync(`/proc/${pid}`))
    expect(await scene.call('deactivate')).toMatchObject({ status: 0 })
    expect(isAlive(worker)).toBe(false)
  })

  test.each([
    ['the leader of', (record: readonly string[]) => [...record.slice(0, 4), `${record[4]}1`, ...record.slice(5)]],
    [
      'the leader that an earlier version recorded of',
      (record: readonly string[]) => [...record.slice(0, 4), `${record[4]}1`, record[5]],
    ],
    [
      'that was dead when the daemon was recorded, of',
      (record: readonly string[]) => [...record.slice(0, 2), 'daemon', '999999', '1', record[5], '-'],
    ],
  ])('is left alone when its number belongs to %s another one', async (_, changed) => {
    const [mine, other] = ['key1', 'key2'].map((key) => ({ DAVIT_KEY: key }))
    const scene = new Scene(shell, WITH_WORKERS)
    expect(await scene.call('activate', other)).toMatchObject({ status: 0 })
    await begun(scene, ['first', 'second'])
    const record = readFileSync(join(scene.directory, 'run/process/process/key2'), 'utf8').trim().split(' ')
    const others = [Number(record[3]), scene.pidIn('first'), scene.pidIn('second')]
    const invocation = [record[0] ?? '', 'another-invocation', ...record.slice(2)]
    scene.write(scene.record, `${changed(invocation).join(' ')}\n`)
    expect(await scene.call('deactivate', { ...mine, stopTimeout: '1' })).toMatchObject({ status: 0, stderr: '' })
    expect(others.map(isAlive)).toEqual([true, true, true])
    expect(await scene.call('deactivate', { ...other, stopTimeout: '1' })).toMatchObject({ status: 0 })
    expect(others.map(isAlive)).toEqual([false, false, false])
  })

  test.skipIf(!hasGroups)(
    'is left alone when it is a later one with the same number, and its leader is dead',
    async () => {
      const { scene, pid, workers } = await leaderless(shell)
      const [boot] = readFileSync(scene.record, 'utf8').split(' ')
      const earlier = `${boot} another-invocation program ${pid} 1 ${pid} 1`
      scene.write(scene.record, `${earlier} /autogroup-1\n`)
      expect(await scene.call('deactivate', { stopTimeout: '1' })).toMatchObject({ status: 0, stderr: '' })
      expect(workers.map(isAlive)).toEqual([true, true])
      // Records of earlier versions do not tell both apart.
      scene.write(scene.record, `${earlier}\n`)
      expect(await scene.call('deactivate', { stopTimeout: '1' })).toMatchObject({ status: 0 })
      expect(workers.map(isAlive)).toEqual([false, false])
    },
  )
})

/** A program that has died, and its workers, which live. */
async function leaderless(shell: Shell) {
  const scene = new Scene(shell, WITH_WORKERS)
  expect(await scene.call('activate')).toMatchObject({ status: 0 })
  const pid = scene.pid()
  await begun(scene, ['first', 'second'])
  const workers = [scene.pidIn('first'), scene.pidIn('second')]
  process.kill(pid, 'SIGKILL')
  await until(() => !existsSync(`/proc/${pid}`))
  return { scene, pid, workers }
}

/** Waits until each worker has written its pid into a file, which may exist before it is written. */
async function begun(scene: Scene, files: readonly string[]): Promise<void> {
  await until(() => files.every((name) => existsSync(join(scene.directory, name)) && scene.pidIn(name) > 0))
}

/** The fourth field after the name: proc(5). */
function sessionOf(pid: number): number {
  return Number(
    readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ')[3],
  )
}
