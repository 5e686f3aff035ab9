import { basename, join } from 'node:path'

import { DavitError, type ReportEvent } from '@davit/diagnostics'
import type { StorePath, TargetName } from '@davit/documents'
import { openNativeStore, type Store } from '@davit/store'
import type { Machine, ShellTarget } from '@davit/target'
import { scratchDirectory } from '@davit/testing/scratch'
import { beforeEach, describe, expect, test } from 'vitest'

import { copyClosure, distribute, planTransfers } from '../src/distribution.ts'
import type { DistributionOptions } from '../src/distribute.ts'
import { manifestOf } from './machines.ts'

let store: Store
let profile: StorePath
let app: StorePath
beforeEach(async () => {
  store = await openNativeStore({ directory: join(scratchDirectory(), 'store'), environment: {} })
  const content = { profileManifest: '', modules: new Map() }
  ;[app] = (await store.addProfiles([{ name: 'app', packages: [], ...content }])) as [StorePath]
  ;[profile] = (await store.addProfiles([{ name: 'profile', packages: [app], ...content }])) as [StorePath]
})

type Answer = (target: string) => Promise<readonly string[]> | readonly string[]

/** Targets in the form `t1 machine`, whose machines answer what they lack; `asked` has the machines in the order of the questions. */
function targetsOf(lines: readonly string[], lacks: Answer = () => []) {
  const asked: string[] = []
  const targets = lines.map((line): ShellTarget<'carry'> => {
    const [name = '', place = ''] = line.split(' ')
    const request = async (operation: string) => {
      if (operation !== 'native_missing') return []
      asked.push(name)
      return lacks(name)
    }
    const facts = { bootId: '1', place, stateDirectory: '/state', userId: 0 }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const machine = { address: place, facts, answerSeconds: 1, request } as unknown as Machine<'carry'>
    return { name: name as TargetName, machine }
  })
  return { targets, asked }
}

async function distributed(targets: readonly ShellTarget<'carry'>[], terms: Partial<DistributionOptions> = {}) {
  const events: ReportEvent[] = []
  const manifest = manifestOf(store, new Map(targets.map(({ name }) => [name, profile])))
  const reached = { targets: new Map(targets.map((one) => [one.name, one])), unreachable: new Map() }
  const report = (event: ReportEvent) => void events.push(event)
  const { signal } = new AbortController()
  const options = { store, maxTransfers: 4, unreachable: 'refuse', report, signal, ...terms } as const
  const { done, failed } = await distribute(manifest, reached, options)
  return { done: [...done], failed: [...failed], events }
}

describe('distribute()', () => {
  test.each([1, 2, 3])('sends to %i machines at a time', async (maxTransfers) => {
    let running = 0
    let most = 0
    let open = () => {}
    const full = new Promise<void>((resolve) => (open = resolve))
    const { targets } = targetsOf(['t1 a', 't2 b', 't3 c', 't4 d'], async () => {
      running += 1
      most = Math.max(most, running)
      if (running === maxTransfers) open()
      await full
      // Whatever may begin besides begins before this ends.
      await new Promise((resolve) => setImmediate(resolve))
      running -= 1
      return []
    })
    expect((await distributed(targets, { maxTransfers })).done).toHaveLength(4)
    expect(most).toBe(maxTransfers)
  })

  test('serves the targets of one machine one after the other, in their order', async () => {
    let running = 0
    const overlaps: string[] = []
    const { targets, asked } = targetsOf(['t1 a', 't2 a', 't3 a'], async (name) => {
      if (running > 0) overlaps.push(name)
      running += 1
      await new Promise((resolve) => setImmediate(resolve))
      running -= 1
      return []
    })
    await distributed(targets)
    expect([asked, overlaps]).toEqual([['t1', 't2', 't3'], []])
  })

  test('goes on with the other targets of a machine if one of them fails', async () => {
    const full = new DavitError('cannot-create', 'no space left', { exitStatus: 73 })
    const { targets } = targetsOf(['t1 a', 't2 a', 't3 b'], (name) => (name === 't1' ? Promise.reject(full) : []))
    const { done, failed, events } = await distributed(targets)
    expect([done.toSorted(), failed]).toEqual([['t2', 't3'], [['t1', full]]])
    expect(events).toContainEqual({
      kind: 'failed',
      id: 'send t1',
      target: 't1',
      step: 'send packages',
      message: 'no space left',
    })
  })

  test.each([
    [3, ['t1'], 4],
    [4, [], 4],
  ])(
    'repeats a transfer that a broken connection has cut off; after %i losses, these have their packages: %j',
    async (losses, expected, attempts) => {
      let lost = 0
      const { targets, asked } = targetsOf(['t1 a'], () => {
        lost += 1
        return lost <= losses ? Promise.reject(new DavitError('connection-lost', 'it broke')) : []
      })
      expect((await distributed(targets)).done).toEqual(expected)
      expect(asked).toHaveLength(attempts)
    },
  )

  test('begins no transfer after an interruption, and counts these targets as failed', async () => {
    const interruption = new AbortController()
    const reason = new DavitError('interrupted', 'interrupted by SIGINT', { exitStatus: 130 })
    const { targets, asked } = targetsOf(['t1 a', 't2 b', 't3 c'], () => {
      interruption.abort(reason)
      return []
    })
    const { done, failed } = await distributed(targets, { maxTransfers: 1, signal: interruption.signal })
    expect([done, failed, asked]).toEqual([
      ['t1'],
      [
        ['t2', reason],
        ['t3', reason],
      ],
      ['t1'],
    ])
  })

  test('has nothing to do for a target without a profile', async () => {
    const { targets, asked } = targetsOf(['t1 a'])
    const reached = { targets: new Map(targets.map((one) => [one.name, one])), unreachable: new Map() }
    const terms = {
      store,
      maxTransfers: 1,
      unreachable: 'refuse',
      report() {},
      signal: new AbortController().signal,
    } as const
    const { done } = await distribute(manifestOf(store, new Map()), reached, terms)
    expect([[...done], asked]).toEqual([['t1'], []])
  })
})

describe('planTransfers()', () => {
  async function planned(lines: readonly string[], lacks: () => readonly string[], path = profile) {
    const { targets } = targetsOf(lines, lacks)
    const opened: string[] = []
    const base = manifestOf(store, new Map(targets.map(({ name }) => [name, path])))
    const target = (hostname: string) => ({
      properties: new Map([['hostname', hostname]]),
      containers: new Map(),
      system: 'x86_64-linux' as never,
      numOfCores: 1,
      clientInterface: 'local',
      targetProperty: 'hostname',
    })
    const manifest = { ...base, infrastructure: new Map(targets.map(({ name }) => [name, target(name)])) }
    const open = async () => {
      opened.push('open')
      return targets[0]!.machine
    }
    const transfers = await planTransfers(manifest, targets as never, {
      store,
      open,
      signal: new AbortController().signal,
    })
    return { transfers, opened: opened.length }
  }
  const nothing = () => []

  test('counts what a machine lacks once, for the first of its targets', async () => {
    const lacks = () => [profile, app].map((path) => basename(path))
    const { transfers, opened } = await planned(['t1 a', 't2 a', 't3 b'], lacks)
    expect(transfers?.map(({ target, paths }) => [target, paths])).toEqual([
      ['t1', 2],
      ['t3', 2],
    ])
    expect(transfers?.every(({ bytes }) => bytes > 0)).toBe(true)
    expect(opened).toBe(2)
  })

  test('has no transfer for machines that lack nothing', async () => {
    expect((await planned(['t1 a'], nothing)).transfers).toEqual([])
  })

  test('is not known, and asks nobody, if this machine lacks a profile itself', async () => {
    const gone = `${store.reference.directory}/${'1'.repeat(32)}-gone` as StorePath
    expect(await planned(['t1 a'], nothing, gone)).toEqual({ transfers: undefined, opened: 0 })
  })
})

test('copyClosure() refuses to send what this machine does not have', async () => {
  const { targets, asked } = targetsOf(['t1 a'])
  const gone = `${store.reference.directory}/${'1'.repeat(32)}-gone` as StorePath
  const terms = { store, direction: 'to', report() {}, signal: new AbortController().signal } as const
  await expect(copyClosure([profile, gone], targets[0]!, terms)).rejects.toMatchObject({
    code: 'invalid-path',
    exitStatus: 66,
    message: `the store of this machine does not have '${gone}'`,
    hint: 'check the paths; to copy them from the target, use --from',
  })
  expect(asked).toEqual([])
})
