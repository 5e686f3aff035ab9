import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { DYSNOMIA_MODULES } from '@davit/testing/dysnomia'
import { isAlive } from '@davit/testing/processes'
import type { Shell } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { afterAll, describe, expect, test } from 'vitest'

import { configured, installedShells, Scene } from './scene.ts'

const shells = installedShells()
const isRoot = process.getuid?.() === 0
const STRANGER = 4711

const others: ChildProcess[] = []
afterAll(() => {
  for (const { pid = 0 } of others) if (isAlive(pid)) process.kill(-pid, 'SIGKILL')
})

/** Starts what no component has started, and returns its pid. */
function another(...argv: readonly [string, ...string[]]): number {
  const [program, ...words] = argv
  const child = spawn(program, words, { detached: true, stdio: 'ignore' })
  others.push(child)
  return child.pid ?? 0
}

/** Becomes a daemon of its own component. */
const OWN = `#!/bin/sh
[ "\${1-}" = daemon ] || { setsid "$0" daemon </dev/null >/dev/null 2>&1 & exit; }
echo $$ >"$SCENE/run/web.pid.new" && mv "$SCENE/run/web.pid.new" "$SCENE/run/web.pid"
trap 'exit' TERM
while :; do sleep 0.1; done
`
/** Becomes a daemon of another package, which it names. */
const NAMED = `#!/bin/sh
setsid sh -c 'echo $$ >"$SCENE/run/web.pid"; exec sleep 1000' </dev/null >/dev/null 2>&1 &
`
const PID_FILE = 'run/web.pid'

describe.concurrent.each(shells)('process that Dysnomia has started, under $name', (shell) => {
  test.for([
    ['of the component', OWN, false],
    ['that the component names', NAMED, true],
  ] as const)('is known %s', async ([, program, isAdopted]) => {
    const scene = started(shell, program)
    const pid = await activateThere(scene, shell)
    const { status } = await scene.call('status', there(scene))
    expect(status).toBe(isAdopted ? 3 : 0)
    if (isAdopted) adopt(scene)
    expect(await scene.call('status', there(scene))).toMatchObject({ status: 0, stdout: `process ${pid} is running\n` })
    expect(existsSync(scene.record)).toBe(false)
    expect(await scene.call('deactivate', there(scene))).toMatchObject({ status: 0, stdout: '', stderr: '' })
    expect([isAlive(pid), existsSync(join(scene.directory, PID_FILE))]).toEqual([false, false])
    expect(await scene.call('deactivate', there(scene))).toMatchObject({ status: 0, stdout: 'nothing is running\n' })
  })

  test('is not started a second time, and recorded', async () => {
    const scene = started(shell, OWN)
    const pid = await activateThere(scene, shell)
    adopt(scene)
    const { status, stdout } = await scene.call('activate', there(scene))
    expect([status, stdout]).toEqual([0, expect.stringContaining(`process ${pid} is already running`)])
    expect([scene.pid(), scene.pidIn(PID_FILE)]).toEqual([pid, pid])
    // From now on it is known by its record.
    writeFileSync(join(scene.directory, PID_FILE), '999999999\n')
    expect(await scene.call('status', there(scene))).toMatchObject({ status: 0 })
    expect(await scene.call('deactivate', there(scene))).toMatchObject({ status: 0 })
    expect(isAlive(pid)).toBe(false)
  })

  test('keeps its state from being deleted or restored while it runs', async () => {
    const scene = started(shell, OWN, true)
    const pid = await activateThere(scene, shell)
    const refused = { status: 1, stderr: expect.stringContaining(`while it runs: process ${pid}`) as string }
    for (const activity of ['restore', 'collect-garbage'])
      expect(await scene.call(activity, { ...there(scene), DAVIT_SNAPSHOT: scene.directory })).toMatchObject(refused)
    expect(await scene.call('deactivate', there(scene))).toMatchObject({ status: 0 })
  })

  test('leaves a process of somebody else alone that the pid file names', async () => {
    const scene = started(shell, OWN)
    const pid = another('sleep', '1000')
    writeFileSync(join(scene.directory, PID_FILE), `${pid}\n`)
    expect(await scene.call('deactivate', there(scene))).toMatchObject({ status: 0, stdout: 'nothing is running\n' })
    adopt(scene)
    const refused = {
      status: 1,
      stderr: expect.stringContaining(`names process ${pid}, and nobody can know`) as string,
    }
    for (const activity of ['status', 'activate', 'deactivate'])
      expect([activity, await scene.call(activity, there(scene))]).toMatchObject([activity, refused])
    expect([isAlive(pid), existsSync(scene.record)]).toEqual([true, false])
  })

  test('leaves a shell of somebody else alone', async () => {
    const scene = started(shell, NAMED)
    const pid = another('sh', '-c', 'while :; do sleep 1; done')
    writeFileSync(join(scene.directory, PID_FILE), `${pid}\n`)
    adopt(scene)
    expect(await scene.call('deactivate', there(scene))).toMatchObject({ status: 1 })
    expect(isAlive(pid)).toBe(true)
  })

  test.for([
    ['has begun after the file was written', -3600, 0],
    ['had begun long before', 3600, 1],
  ] as const)('leaves a process alone that %s', async ([, seconds, status]) => {
    const scene = started(shell, seconds < 0 ? OWN : NAMED)
    const pid = another('sleep', '1000')
    const file = join(scene.directory, PID_FILE)
    writeFileSync(file, `${pid}\n`)
    const time = Date.now() / 1000 + seconds
    utimesSync(file, time, time)
    adopt(scene)
    if (seconds > 0) utimesSync(noteOf(scene), time + 1, time + 1)
    expect(await scene.call('deactivate', there(scene))).toMatchObject({ status })
    expect(isAlive(pid)).toBe(true)
  })

  test('is not known by a pid file that was written since it was adopted', async () => {
    const scene = started(shell, NAMED)
    const pid = await activateThere(scene, shell)
    adopt(scene)
    utimesSync(noteOf(scene), 1, 1)
    expect(await scene.call('deactivate', there(scene))).toMatchObject({ status: 1 })
    expect(isAlive(pid)).toBe(true)
    process.kill(pid)
    expect(await scene.call('deactivate', there(scene))).toMatchObject({ status: 0 })
  })

  test('is not what another component has started', async () => {
    const scene = started(shell, OWN)
    const pid = await activateThere(scene, shell)
    await scene.call('activate', there(scene))
    expect(await scene.call('deactivate', { ...there(scene), DAVIT_KEY: 'key2' })).toMatchObject({ status: 0 })
    expect(isAlive(pid)).toBe(true)
    expect(await scene.call('deactivate', there(scene))).toMatchObject({ status: 0 })
  })

  test('is stopped alone if others share its session', async () => {
    const scene = started(shell, OWN.replace('setsid ', ''))
    const both = `"$0" activate "$1"; sleep 1000 & echo $! >"$SCENE/other"`
    const module = standIn(scene)
    expect(await calling(shell, scene, ['-c', both, module, scene.component])).toBe(0)
    const [pid, other] = [await pidLater(scene, PID_FILE), await pidLater(scene, 'other')]
    expect(await scene.call('deactivate', there(scene))).toMatchObject({ status: 0 })
    expect([isAlive(pid), isAlive(other)]).toEqual([false, true])
    process.kill(other)
  })

  test.runIf(isRoot)('is not believed from a pid file that somebody else can write', async () => {
    const scene = started(shell, OWN)
    for (const directory of [dirname(scene.directory), scene.directory]) chmodSync(directory, 0o755)
    const pid = another('sh', '-c', 'sleep 1000; :', join(scene.component, 'bin/web'))
    writeFileSync(join(scene.directory, PID_FILE), `${pid}\n`)
    chownSync(join(scene.directory, PID_FILE), STRANGER, STRANGER)
    chownSync(join(scene.directory, 'run'), STRANGER, STRANGER)
    expect(await scene.call('deactivate', there(scene))).toMatchObject({ status: 0 })
    chownSync(join(scene.directory, 'run'), 0, 0)
    adopt(scene)
    chownSync(join(scene.directory, 'run'), STRANGER, STRANGER)
    const { status, stderr } = await scene.call('deactivate', there(scene))
    expect([status, stderr]).toEqual([1, expect.stringContaining(`run' belongs to '${STRANGER}'`)])
    expect(isAlive(pid)).toBe(true)
  })
})

function started(shell: Shell, program: string, hasState = false): Scene {
  const state = hasState ? configured('stateDirectory="$SCENE/state"\n') : {}
  return new Scene(shell, { 'bin/web': program, ...state })
}

function there(scene: Scene): Readonly<Record<string, string>> {
  return { runtimeDir: join(scene.directory, 'run') }
}

function surroundings(scene: Scene): Readonly<Record<string, string>> {
  const { SCENE, DYSNOMIA_STATEDIR } = scene.environment
  return { SCENE, DYSNOMIA_STATEDIR, ...there(scene) }
}

function standIn(scene: Scene): string {
  scene.write(join(scene.directory, 'process'), DYSNOMIA_MODULES.process)
  return join(scene.directory, 'process')
}

/** Has the module of Dysnomia start the component; returns the pid of the daemon. */
async function activateThere(scene: Scene, shell: Shell): Promise<number> {
  expect(await calling(shell, scene, [standIn(scene), 'activate', scene.component, 'process'])).toBe(0)
  return pidLater(scene, PID_FILE)
}

/** The pid in a file that a program writes, which exists before it is written. */
async function pidLater(scene: Scene, name: string): Promise<number> {
  return until(() => scene.pidIn(name) > 0 && scene.pidIn(name))
}

async function calling(shell: Shell, scene: Scene, words: readonly string[]): Promise<unknown> {
  const env = { PATH: shell.path, ...surroundings(scene) }
  const child = spawn('sh', words, { env, detached: true, stdio: 'ignore' })
  const [status] = (await once(child, 'exit')) as readonly unknown[]
  return status
}

function noteOf(scene: Scene): string {
  return join(scene.directory, 'run/adopted/process:key1')
}

/** Leaves what davit-adopt leaves. */
function adopt(scene: Scene): void {
  mkdirSync(dirname(noteOf(scene)), { recursive: true })
  writeFileSync(noteOf(scene), '')
}
