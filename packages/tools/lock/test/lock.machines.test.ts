import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { openLocal } from '@davit/connection'
import { DavitError } from '@davit/diagnostics'
import { type Format, parseDocument } from '@davit/documents'
import { openMachine, performActivity } from '@davit/target'
import type { ToolContext } from '@davit/tool'
import { scratchDirectory } from '@davit/testing/scratch'
import { until } from '@davit/testing/wait'
import { beforeEach, describe, expect, test } from 'vitest'

import { tool as lock } from '../src/lock.ts'
import { tool as unlock } from '../src/unlock.ts'
import { manifestWith } from './manifests.ts'

let directory: string
let printed: string
let warnings: string[]
let interruption: AbortController

beforeEach(() => {
  directory = scratchDirectory()
  printed = ''
  warnings = []
  interruption = new AbortController()
})

/** Context of a tool with `text` on standard input. */
function contextOf<Arguments>(args: Arguments, text: string): ToolContext<Arguments> {
  const input = { text, file: '<stdin>' }
  return {
    args,
    print: async (content) => void (printed += String(content)),
    report: (event) => void (event.kind === 'warning' && warnings.push(event.message)),
    signal: interruption.signal,
    environment: { PATH: '/usr/bin:/bin', HOME: directory, DAVIT_STATE_DIR: join(directory, 'state') },
    workingDirectory: directory,
    privileged: false,
    executable: 'davit-lock',
    readInput: async () => input,
    readDocument: async <Value>(format: Format<Value>) => ({ ...input, value: parseDocument(format, text, input) }),
    journal() {},
    runSteps: async () => 0,
    async runInForeground({ argv: [program, ...rest], signal }) {
      const child = spawn(program, rest, { cwd: directory, stdio: 'ignore' })
      signal?.addEventListener('abort', () => child.kill(), { once: true })
      const [status] = (await once(child, 'exit')) as [number | null]
      return status ?? 143
    },
  }
}

const runLock = (
  text: string,
  command: readonly string[] = [],
  {
    profile = 'default',
    lockLease = 60,
    skipUnreachable = false,
    activityTimeout = undefined as number | undefined,
  } = {},
) =>
  lock.run(
    contextOf({ profile, lockLease, skipUnreachable, activityTimeout, command, manifest: undefined } as never, text),
  )
const runUnlock = (text: string, profile = 'default', activityTimeout?: number) =>
  unlock.run(contextOf({ profile, activityTimeout, manifest: undefined } as never, text))
const runUnlockOf = (text: string, id: string) =>
  unlock.run(contextOf({ profile: 'default', id, activityTimeout: undefined, manifest: undefined } as never, text))
const asked = () => readFileSync(join(directory, 'module.asked'), 'utf8').trim().split('\n')
/** A service on a target of that name, whose module records its calls. */
async function activateOn(target: string, answer = ''): Promise<void> {
  const module = join(directory, 'module')
  writeFileSync(module, `#!/bin/sh\necho "$1" >>"$0.asked"\n${answer}\n`, { mode: 0o755 })
  const environment = { PATH: '/usr/bin:/bin', HOME: directory, DAVIT_STATE_DIR: join(directory, 'state') }
  const connection = openLocal({ environment })
  const pkg = '/store/00000000000000000000000000000000-web'
  const service = { name: 'web', pkg, type: 'process', dependsOn: [], connectsTo: [], providesContainers: new Map() }
  const result = await performActivity(await openMachine(async () => connection), {
    profile: 'default',
    token: '-',
    activity: 'activate',
    mapping: { target, service: 'key', container: 'process' },
    definition: { service, module, properties: new Map() },
  } as never)
  expect(result).toEqual({ kind: 'succeeded' })
  await connection.close()
}
const holderFile = (target: string) => join(directory, 'state/targets', target, 'lock/default/holder')
const isLocked = (target: string) => existsSync(holderFile(target))
const recordFile = () => join(directory, 'state/coordinator/default/lock.json')
const two = manifestWith('t1', 't2')

describe('davit-lock', () => {
  test('locks all targets until davit-unlock, once', async () => {
    await runLock(two)
    expect([printed, isLocked('t1'), isLocked('t2')]).toEqual([two, true, true])
    await expect(runLock(two)).rejects.toMatchObject({ code: 'locked', exitStatus: 75 })
    await runUnlock(two)
    expect([printed, isLocked('t1'), isLocked('t2')]).toEqual([two + two, false, false])
    await expect(runUnlock(two)).rejects.toMatchObject({ code: 'not-locked', exitStatus: 1 })
    await runLock(two, ['true'])
  })

  test.each([
    ['succeeds', ['test', '-e', 'state/coordinator/default/lock.json'], 0],
    ['fails', ['sh', '-c', 'exit 7'], 7],
    ['is killed', ['sh', '-c', 'kill -TERM $$'], 143],
  ])('holds the lock while a command runs that %s', async (_, command, status) => {
    expect(await runLock(two, command)).toBe(status)
    expect([printed, isLocked('t1'), isLocked('t2'), existsSync(recordFile())]).toEqual(['', false, false, false])
  })

  test('leaves no lock if it is interrupted while a service answers', async () => {
    const go = join(directory, 'go')
    await activateOn('t1', `[ "$1" != lock ] || until [ -e '${go}' ]; do sleep 0.05; done`)
    const running = runLock(two)
    await until(() => expect(asked()).toContain('lock'))
    interruption.abort()
    writeFileSync(go, '')
    await expect(running).rejects.toBe(interruption.signal.reason)
    expect([isLocked('t1'), isLocked('t2'), existsSync(recordFile())]).toEqual([false, false, false])
  })

  test.each([
    ['lock', 'lock-refused', "'web' on 't1' cannot be changed now"],
    ['unlock', 'unlock-refused', "'web' on 't1' could not be unlocked"],
  ])('does not wait longer than it is told for a service whose %s hangs', async (activity, code, message) => {
    await activateOn('t1', `[ "$1" != ${activity} ] || { echo busy; exec sleep 60; }`)
    const running = runLock(two, ['true'], { activityTimeout: 4 })
    const reason = "'web' on 't1': it took longer than 4 seconds and was stopped: busy"
    await expect(running).rejects.toMatchObject({ code, exitStatus: 1, message, cause: { message: reason } })
    expect(asked()).toEqual(['activate', 'lock', 'unlock'])
    // It was released, and nobody has taken it.
    expect(warnings).toEqual([])
    expect([isLocked('t1'), isLocked('t2'), existsSync(recordFile())]).toEqual([false, false, false])
  })

  test('is left by davit-unlock in time, and locks nothing any more', async () => {
    await activateOn('t1', '[ "$1" != unlock ] || exec sleep 60')
    await runLock(two)
    await expect(runUnlock(two, 'default', 1)).rejects.toMatchObject({ code: 'unlock-refused', exitStatus: 1 })
    expect([printed, isLocked('t1'), isLocked('t2'), existsSync(recordFile())]).toEqual([two, false, false, false])
  })

  test('locks nothing when nobody can be told', async () => {
    const context = contextOf({ profile: 'default', lockLease: 60, command: [] } as never, two)
    const print = () => Promise.reject(new DavitError('cannot-write', 'no space left'))
    await expect(lock.run({ ...context, print })).rejects.toMatchObject({ code: 'cannot-write' })
    expect([isLocked('t1'), isLocked('t2'), existsSync(recordFile())]).toEqual([false, false, false])
  })

  test('ends the command when the lock is lost, and leaves it to who has it now', async () => {
    const running = runLock(two, ['sleep', '60'], { lockLease: 1 })
    await until(() => expect(existsSync(recordFile())).toBe(true))
    writeFileSync(holderFile('t2'), readFileSync(holderFile('t2'), 'utf8').replace(/^token .*/, 'token theirs'))
    await expect(running).rejects.toMatchObject({ code: 'lock-lost', exitStatus: 75 })
    expect([isLocked('t1'), isLocked('t2'), existsSync(recordFile())]).toEqual([false, true, false])
    expect(warnings).toEqual(['the lock was lost before it was released'])
  })

  test('names who holds a lock whatever the target says of it', async () => {
    await runLock(two)
    const holder = readFileSync(holderFile('t1'), 'utf8')
    writeFileSync(holderFile('t1'), holder.replace(/^since .*/m, 'since 99999999999999999999'))
    await expect(runLock(two)).rejects.toMatchObject({
      code: 'locked',
      exitStatus: 75,
      message: expect.stringMatching(/ is locked by .+ \(process \d+\), since when is unknown$/),
    })
    writeFileSync(holderFile('t1'), holder.replace(/^owner .*/m, 'owner \\0033[2J'))
    await expect(runLock(two)).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringContaining(' by somebody, since 2'),
    })
  })

  test('locks nothing when it is interrupted before the command', async () => {
    interruption.abort(new DavitError('interrupted', 'interrupted by SIGINT', { exitStatus: 130 }))
    await expect(runLock(two, ['touch', 'ran'])).rejects.toMatchObject({ code: 'interrupted' })
    expect([isLocked('t1'), existsSync(recordFile()), existsSync(join(directory, 'ran'))]).toEqual([
      false,
      false,
      false,
    ])
  })
})

describe('targets that were renamed, and those that cannot be reached', () => {
  test('are locked under both names, and unlocked', async () => {
    await activateOn('old')
    await runLock(two)
    expect([isLocked('t1'), isLocked('t2'), isLocked('old')]).toEqual([true, true, true])
    expect(asked()).toEqual(['activate', 'lock'])
    await runUnlock(two)
    expect([isLocked('t1'), isLocked('t2'), isLocked('old')]).toEqual([false, false, false])
    expect(asked()).toEqual(['activate', 'lock', 'unlock'])
    expect(await runLock(two, ['true'])).toBe(0)
    expect(isLocked('old')).toBe(false)
  })

  test('a target that cannot be reached is passed over only when that is asked for', async () => {
    const manifest = JSON.parse(two) as { infrastructure: Record<string, { clientInterface: string }> }
    manifest.infrastructure['t2']!.clientInterface = 'telegraph'
    const text = JSON.stringify(manifest)
    await expect(runLock(text)).rejects.toMatchObject({
      code: 'targets-unreachable',
      exitStatus: 69,
      hint: expect.stringContaining('--skip-unreachable'),
    })
    expect(isLocked('t1')).toBe(false)
    await runLock(text, [], { skipUnreachable: true })
    expect([isLocked('t1'), warnings]).toEqual([true, [expect.stringContaining('skipped')]])
    await runUnlock(text)
    expect([isLocked('t1'), existsSync(recordFile())]).toEqual([false, false])
  })
})

describe('davit-unlock', () => {
  test('unlocks on empty input what was locked in the same pipe, and fails', async () => {
    await runLock(two)
    await expect(runUnlock('')).rejects.toMatchObject({ code: 'empty-document', exitStatus: 66 })
    expect([isLocked('t1'), isLocked('t2'), existsSync(recordFile())]).toEqual([false, false, false])
  })

  test('leaves on empty input what was locked elsewhere', async () => {
    await runLock(two)
    const record = JSON.parse(readFileSync(recordFile(), 'utf8')) as object
    writeFileSync(recordFile(), JSON.stringify({ ...record, processGroup: 1 }))
    await expect(runUnlock('')).rejects.toMatchObject({
      code: 'empty-document',
      message: 'an earlier step of the pipe failed; it locked nothing',
    })
    expect(isLocked('t1')).toBe(true)
  })

  test('knows only its own profile', async () => {
    await runLock(two)
    await expect(runUnlock(two, 'other')).rejects.toMatchObject({ code: 'not-locked' })
    expect(isLocked('t1')).toBe(true)
  })

  test('unlocks what was locked, whatever manifest it is given', async () => {
    await runLock(two)
    await runUnlock(manifestWith('t1', 't3'))
    expect([isLocked('t1'), isLocked('t2')]).toEqual([false, false])
  })

  test('names what it could not reach of what was locked, or of what --id releases, and unlocks the rest', async () => {
    const far = two.replace(/"clientInterface":"local"(?!.*"clientInterface")/, '"clientInterface":"elsewhere"')
    expect(far).not.toBe(two)
    await runLock(two)
    const record = JSON.parse(readFileSync(recordFile(), 'utf8')) as { readonly token: string }
    writeFileSync(recordFile(), JSON.stringify({ ...record, manifest: far }))
    await expect(runUnlock(two)).rejects.toMatchObject({
      exitStatus: 69,
      diagnostics: [{ message: "target 't2': there is no client interface 'elsewhere'" }],
    })
    expect([isLocked('t1'), isLocked('t2')]).toEqual([false, true])
    await runUnlockOf(two, record.token)
    await runLock(two)
    const { token } = JSON.parse(readFileSync(recordFile(), 'utf8')) as { readonly token: string }
    await expect(runUnlockOf(far, token)).rejects.toMatchObject({ exitStatus: 69 })
    expect([isLocked('t1'), isLocked('t2')]).toEqual([false, true])
  })

  test('forgets a lock that is gone', async () => {
    await runLock(two)
    rmSync(holderFile('t1'))
    await expect(runUnlock(two)).rejects.toMatchObject({ code: 'not-locked' })
    expect([isLocked('t2'), existsSync(recordFile())]).toEqual([false, false])
  })

  test('refuses what is no manifest, and leaves the lock', async () => {
    await runLock(two)
    await expect(runUnlock('rubbish')).rejects.toMatchObject({ code: 'invalid-document' })
    expect(isLocked('t1')).toBe(true)
  })
})
