import { existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { isAlive } from '@davit/testing/processes'
import { until } from '@davit/testing/wait'
import { describe, expect, test } from 'vitest'
import { configured, FOREVER, installedShells, Scene } from './scene.ts'

const shells = installedShells()

/** Prints numbered lines, as many at a time as the file `lines` says, and writes its progress to `printed`. */
const COUNTING = `#!/bin/sh
count=0
while :; do
  wanted=0
  read -r wanted <"$SCENE/lines"
  while [ "$count" -lt "$wanted" ]; do
    count=$((count + 1))
    echo "line $count of the service"
  done
  echo "$count" >"$SCENE/printed"
  sleep 0.02
done
`

describe.concurrent.each(shells)('the output of a process under $name', (shell) => {
  const counting = async (settings: string) => {
    const scene = new Scene(shell, configured(settings, { 'bin/web': COUNTING }))
    const print = (count: number) => scene.write(join(scene.directory, 'lines'), `${count}\n`)
    print(1)
    expect(await scene.call('activate')).toMatchObject({ status: 0, stderr: '' })
    const hasPrinted = (count: number) => until(() => expect(scene.read('printed')).toBe(`${count}\n`))
    const isLogged = (count: number) => until(() => expect(logged(scene).at(-1)).toBe(count))
    return { scene, print, hasPrinted, isLogged, invocation: invocationOf(scene) }
  }

  test('is kept in two files of the size that the component sets, without losses', async () => {
    const { scene, print, isLogged } = await counting('logSize=20k\n')
    print(2500)
    await isLogged(2500)
    const sizes = [scene.log, `${scene.log}.1`].map((file) => statSync(file).size)
    for (const size of sizes) expect(size).toBeLessThanOrEqual(20 * 1024)
    expect(sizes[1]).toBeGreaterThan(15 * 1024)
    expectConsecutive(logged(scene).slice(1))
    // Whoever can write to the pipe can write to the log.
    expect((statSync(`${scene.record}.output`).mode & 0o777).toString(8)).toBe('600')
    print(2501)
    expect(await scene.call('deactivate')).toMatchObject({ status: 0, stderr: '' })
    expect(existsSync(`${scene.record}.output`)).toBe(false)
  })

  test('is still read when one of its readers is killed', async () => {
    // After each piece of at most five reads they check whether the others are alive.
    const { scene, print, isLogged, invocation } = await counting('logSize=20k\n')
    const pid = scene.pid()
    let count = 1
    for (const role of ['dd', 'reader', 'watcher', 'dd', 'reader'] as const) {
      await until(() => keepersOf(scene)[role] !== undefined)
      process.kill(keepersOf(scene)[role]!, 'SIGKILL')
      count += 3000
      print(count)
      await isLogged(count)
    }
    expect(isAlive(pid)).toBe(true)
    expect(await scene.call('deactivate')).toMatchObject({ status: 0 })
    expect(allKeepersOf(invocation)).toEqual([])
  })

  test('waits in the pipe when all its readers are killed, and the next status resumes the reading', async () => {
    const { scene, print, hasPrinted, isLogged, invocation } = await counting('')
    await isLogged(1)
    for (const keeper of allKeepersOf(invocation)) process.kill(keeper, 'SIGKILL')
    await until(() => expect(allKeepersOf(invocation).length).toBe(0))
    print(100)
    await hasPrinted(100)
    expect(logged(scene)).toEqual([1])
    expect(await scene.call('status')).toMatchObject({ status: 0 })
    await isLogged(100)
    expectConsecutive(logged(scene))
    const keepers = allKeepersOf(invocation)
    expect(await scene.call('status')).toMatchObject({ status: 0 })
    expect(allKeepersOf(invocation)).toEqual(keepers)
    expect(await scene.call('deactivate')).toMatchObject({ status: 0 })
  })

  test('is lost where there is no space, and the program continues', async () => {
    const { scene, print, hasPrinted, isLogged, invocation } = await counting('')
    await isLogged(1)
    rmSync(scene.log)
    symlinkSync('/dev/full', scene.log)
    process.kill(keepersOf(scene).dd!, 'SIGKILL')
    print(6000)
    await hasPrinted(6000)
    rmSync(scene.log)
    let count = 6000
    await until(() => {
      print((count += 10))
      return logged(scene).length > 0
    })
    expect(await scene.call('deactivate')).toMatchObject({ status: 0 })
    expect(allKeepersOf(invocation)).toEqual([])
  })

  test.runIf(shell.inDepth)('has no reader left once nobody prints', async () => {
    const scene = new Scene(shell, { 'bin/web': FOREVER })
    await scene.call('activate')
    const invocation = invocationOf(scene)
    const keepers = allKeepersOf(invocation)
    expect(keepers.length).toBeGreaterThanOrEqual(2)
    expect(childrenOf(keepers).filter((pid) => !isAlive(pid))).toEqual([])
    process.kill(scene.pid(), 'SIGKILL')
    await until(() => keepers.every((pid) => !existsSync(`/proc/${pid}`)))
    expect(await scene.call('deactivate')).toMatchObject({ status: 0, stderr: '' })
  })

  test.runIf(shell.inDepth)('has no reader left when a process escapes with its pipe', async () => {
    const program = `#!/bin/sh
env -i SCENE="$SCENE" setsid sh -c 'echo $$ >"$SCENE/escaped"; exec sleep 1000' &
exec sleep 1000
`
    const scene = new Scene(shell, { 'bin/web': program })
    await scene.call('activate')
    const invocation = invocationOf(scene)
    await until(() => scene.pidIn('escaped') > 0)
    expect(await scene.call('deactivate')).toMatchObject({ status: 0 })
    expect([allKeepersOf(invocation), isAlive(scene.pidIn('escaped'))]).toEqual([[], true])
    process.kill(scene.pidIn('escaped'), 'SIGKILL')
  })

  test.runIf(shell.inDepth).each(['16383', '15k', '0', '010M', '10m', 'much', '99999999999'])(
    'cannot be bounded by %s',
    async (size) => {
      const scene = new Scene(shell, configured(`process='exec sleep 1000' logSize=${size}\n`))
      const { status, stderr } = await scene.call('activate')
      expect([status, stderr]).toEqual([1, expect.stringContaining(`logSize '${size}' is not a number of bytes`)])
    },
  )
})

/** Numbers of all whole lines in the logs. */
function logged(scene: Scene): readonly number[] {
  const text = [`${scene.log}.1`, scene.log].map(textOf).join('')
  return [...text.matchAll(/^line (\d+) of the service\n/gm)].map(([, number]) => Number(number))
}

/** Content of a file; empty while it is being renamed. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function expectConsecutive(numbers: readonly number[]): void {
  const first = numbers[0] ?? 0
  expect(numbers).toEqual(numbers.map((_, index) => first + index))
}

interface Keepers {
  readonly watcher?: number
  readonly reader?: number
  readonly dd?: number
}

/** Pids of the watching shell, of the reader, and of the program that reads for it at the moment. */
function keepersOf(scene: Scene): Keepers {
  const all = allKeepersOf(invocationOf(scene))
  const recorded = Number(scene.read('run/process/process/key1.keeper').split(' ')[0])
  const watcher = all.find((pid) => pid === recorded)
  const reader = all.find((pid) => parentOf(pid) === watcher)
  const dd = all.find((pid) => reader !== undefined && parentOf(pid) === reader)
  return Object.fromEntries(Object.entries({ watcher, reader, dd }).filter(([, pid]) => pid !== undefined))
}

function invocationOf(scene: Scene): string {
  return readFileSync(scene.record, 'utf8').split(' ')[1] ?? ''
}

function allKeepersOf(invocation: string): readonly number[] {
  const mark = `DAVIT_OUTPUT=${invocation}`
  return pids().filter((pid) => readOf(pid, 'environ').split('\0').includes(mark) && isAlive(pid))
}

function childrenOf(parents: readonly number[]): readonly number[] {
  return pids().filter((pid) => parents.includes(parentOf(pid)))
}

function parentOf(pid: number): number {
  const [, parent = ''] = readOf(pid, 'stat')
    .replace(/^.*\) /s, '')
    .split(' ')
  return Number(parent)
}

function readOf(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch {
    return ''
  }
}

function pids(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
}
