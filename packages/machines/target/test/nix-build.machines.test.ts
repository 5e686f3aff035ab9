import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { removeTree } from '@davit/files'
import { DavitError, type ReportEvent } from '@davit/diagnostics'
import type { StorePath, TargetName } from '@davit/documents'
import { type NixStore, openStore } from '@davit/store'
import { noPrivateNix, privateNixOfFile } from '@davit/testing/private-nix'
import { isAlive } from '@davit/testing/processes'
import { type Shell, notingShells } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { type Machine, openMachine } from '../src/machine.ts'
import { nixTargetStore } from '../src/nix/nix-target-store.ts'
import type { TargetBuildOutcome, TargetStore } from '../src/target-store.ts'
import { linesOf, nixConnection, nixPrograms, validOf } from './testing.ts'
import { testCalls } from './functions.ts'

const { signal } = new AbortController()
const shells = notingShells()
const [dash] = shells as readonly [Shell]

/** System and script of each derivation by name; `@NAME@` stands for the output of another one. */
type Scripts = Readonly<Record<string, string>>

describe.skipIf(noPrivateNix !== undefined)('on a machine with Nix', () => {
  const here = privateNixOfFile()
  const there = privateNixOfFile()
  const programs = nixPrograms()
  let directory: string
  let connection: ReturnType<typeof nixConnection>
  let machine: Machine<'carry'>
  let coordinator: NixStore
  let store: TargetStore
  let events: ReportEvent[]

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'davit-nix-build-'))
    events = []
    coordinator = (await openStore({ kind: 'nix', directory: '/nix/store' }, here)) as NixStore
  })
  afterEach(() => {
    machine.close()
    removeTree(directory)
  })

  async function login(shell: Shell): Promise<void> {
    connection = nixConnection(shell, { nix: there, programs, home: join(directory, 'home') })
    machine = await openMachine(async () => connection, { role: 'carry' })
    store = nixTargetStore({ name: 't1' as TargetName, machine }, coordinator)
  }

  /** Sends derivations with their closures, and returns them in the order of the scripts. */
  async function derivationsOf(scripts: Scripts, system = 'builtins.currentSystem'): Promise<readonly StorePath[]> {
    const attributes = Object.entries(scripts).map(([name, script]) => {
      const text = JSON.stringify(script).replaceAll(/@(\w+)@/g, '${$1}')
      return `${name} = derivation { name = "${name}"; system = ${system}; builder = "/bin/sh"; args = [ "-c" ${text} ]; };`
    })
    const expression = `let ${attributes.join(' ')} in [ ${Object.keys(scripts).join(' ')} ]`
    const derivations = linesOf(here.shell('nix-instantiate --expr "$1" 2>/dev/null', expression)) as StorePath[]
    await store.send(await store.missing(await coordinator.closure(derivations)), { signal })
    return derivations
  }
  const build = (derivations: readonly StorePath[], options: { signal?: AbortSignal } = {}) =>
    store.build(derivations, { cores: 2, report: (event) => events.push(event), signal, ...options })

  describe.each(shells)('and $name', (shell) => {
    test('derivations are built, and fetched once', async () => {
      await login(shell)
      const derivations = await derivationsOf({ low: `echo ${shell.name} >$out`, high: 'echo @low@ >$out' })
      expect(await build(derivations.slice(1))).toEqual([{ kind: 'built' }])
      const outputs = [...(await coordinator.outputs(derivations)).values()].flat()
      expect(await coordinator.invalidPaths(outputs)).toEqual(outputs)
      expect(await store.fetch([derivations[1] as StorePath], { signal })).toMatchObject({ paths: 2 })
      expect(await coordinator.invalidPaths(outputs)).toEqual([])
      expect(await store.fetch(derivations, { signal })).toEqual({ paths: 0, bytes: 0 })
      expect(events.filter(({ kind }) => kind === 'finished')).toMatchObject([{ step: 'build low', target: 't1' }])
    })

    test.runIf(shell.inDepth)('a failed build does not stop the others', async () => {
      await login(shell)
      const derivations = [
        ...(await derivationsOf({
          good: `echo ${shell.name} >$out`,
          bad: `echo what ${shell.name} says; exit 3`,
          waits: 'echo @bad@ >$out',
        })),
        ...(await derivationsOf({ foreign: `echo ${shell.name} >$out` }, '"riscv64-linux"')),
      ]
      const log = `what ${shell.name} says`
      expect(await build(derivations)).toEqual([
        { kind: 'built' },
        { kind: 'failed', reason: 'failed with exit code 3', logEnd: log },
        { kind: 'failed', reason: `needs '${derivations[1]}', which failed with exit code 3`, logEnd: log },
        { kind: 'failed', reason: expect.stringContaining('riscv64-linux'), logEnd: '' },
      ])
      await expect(store.fetch(derivations, { signal })).rejects.toThrow(`is not on '${shell.name}'`)
    })

    test.runIf(shell.inDepth).each([
      ['is interrupted', (stop: AbortController) => stop.abort(new Error('enough')), 'enough'],
      ['loses its connection', () => connection.hangUp(), 'dash|bash|busybox'],
    ])('no builder is left when the tool %s', async (label, end, message) => {
      await login(shell)
      const pids = join(directory, 'pids')
      const endless = `/bin/sleep 1000 & echo $$ $! >${pids}.new; /bin/mv ${pids}.new ${pids}; wait`
      const [derivation] = (await derivationsOf({ endless: `: ${label}; ${endless}` })) as [StorePath]
      const stop = new AbortController()
      const building = endOf(build([derivation], { signal: stop.signal }))
      await until(() => expect(existsSync(pids)).toBe(true))
      const script = connection.pids.at(-1) as number
      const builders = readFileSync(pids, 'utf8').trim().split(' ').map(Number)
      expect(builders.map(isAlive)).toEqual([true, true])
      end(stop)
      expect(await building).toMatch(new RegExp(message))
      await until(() => expect(builders.map(isAlive)).toEqual([false, false]))
      await until(() => expect(isAlive(script)).toBe(false))
      const outputs = [...(await coordinator.outputs([derivation])).values()].flat()
      expect(validOf(there, outputs)).toEqual([])
    })

    testCalls(shell, 'nix-build')
  })

  test('a build may be silent, unless the machine is as well', async () => {
    await login(dash)
    machine.close()
    machine = await openMachine(async () => connection, { role: 'carry', answerSeconds: 3 })
    store = nixTargetStore({ name: 't1' as TargetName, machine }, coordinator)
    const helper = connection.pids.at(-1) as number
    const [pid, go] = [join(directory, 'pid'), join(directory, 'go')]
    const wait = `echo $$ >${pid}.new; /bin/mv ${pid}.new ${pid}; until [ -e ${go} ]; do /bin/sleep 0.05; done; echo >$out`
    const [silent, endless] = await derivationsOf({ silent: wait, endless: `: endless; ${wait}` })
    const building = build([silent as StorePath])
    setTimeout(() => writeFileSync(go, ''), 4500)
    expect(await building).toEqual([{ kind: 'built' }])
    rmSync(go)
    rmSync(pid)
    const unanswered = endOf(build([endless as StorePath]))
    await until(() => expect(existsSync(pid)).toBe(true))
    connection.run = () => Promise.reject(new DavitError('connection-lost', 'all of it is silent'))
    process.kill(helper, 'SIGSTOP')
    expect(await unanswered).toBe('all of it is silent')
    process.kill(helper, 'SIGKILL')
  })

  test('a stopped store process is not waited for', async () => {
    await login(dash)
    machine.close()
    machine = await openMachine(async () => connection, { role: 'carry', answerSeconds: 0.3 })
    store = nixTargetStore({ name: 't1' as TargetName, machine }, coordinator)
    const path = '/nix/store/00000000000000000000000000000000-none' as StorePath
    expect(await store.missing([path])).toEqual([path])
    const serving = connection.pids.at(-1) as number
    process.kill(serving, 'SIGSTOP')
    await expect(store.missing([path])).rejects.toMatchObject({
      exitStatus: 69,
      message: "'dash' has not answered for 3 s",
    })
    process.kill(serving, 'SIGKILL')
    expect(await store.missing([path])).toEqual([path])
  })

  test.each([
    ['a Nix that is killed builds nothing', 'kill -9 $(cat $1)', 'was not built'],
    ['all that builds being killed is an error', 'kill -9 -$(($(ps -o pgid= $(cat $1))))', "cannot use Nix on 'dash'"],
  ])('%s', async (label, kill, message) => {
    await login(dash)
    const pid = join(directory, 'pid')
    const script = `: ${label}; echo $PPID >${pid}.new; /bin/mv ${pid}.new ${pid}; exec /bin/sleep 1000`
    const building = endOf(build(await derivationsOf({ killed: script })))
    await until(() => expect(existsSync(pid)).toBe(true))
    spawnSync('sh', ['-c', kill.replaceAll('$1', pid)])
    expect(await building).toContain(message)
  })
})

/** Returns why a derivation was not built, or the message of an error. */
async function endOf(building: Promise<readonly TargetBuildOutcome[]>): Promise<string> {
  try {
    return (await building).map((outcome) => (outcome.kind === 'failed' ? outcome.reason : outcome.kind)).join('; ')
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
