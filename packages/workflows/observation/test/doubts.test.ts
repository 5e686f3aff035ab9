import { DavitError } from '@davit/diagnostics'
import type { Manifest } from '@davit/documents'
import { describe, expect, test } from 'vitest'

import { observeDeployment } from '../src/observation.ts'
import { manifest, PROFILE, type Recorded, recordsOf, reports, tableMachine, target } from './scene.ts'

const DECLARED = 'activate deactivate status'
const unresolvable = async () => Promise.reject(new DavitError('secret-unresolved', 'the vault is closed'))

interface Doubting {
  readonly next?: Manifest
  readonly boot?: string
  readonly timeoutSeconds?: number
  readonly signal?: AbortSignal
  readonly before?: (operation: string) => Promise<void>
}

const WEB = manifest({ placed: { web: ['t1'] } })

/** Doubts about services by name, what was reported, and what the modules were asked. */
async function doubtsOf(records: readonly Recorded[], { next = WEB, boot = '1', before, ...terms }: Doubting = {}) {
  const { report, lines } = reports()
  const machine = tableMachine({ records, boot, secrets: { resolve: unresolvable }, ...(before && { before }) })
  const { observed } = await observeDeployment([target('t1', machine)], next, {
    profile: PROFILE,
    previous: undefined,
    running: 'tell',
    report,
    signal: new AbortController().signal,
    ...terms,
  })
  const doubts = observed.map(({ service, doubt }) => `${service.name} ${doubt ?? '-'}`)
  return { doubts, lines, asked: machine.asked.filter((one) => one.startsWith('ask ')) }
}

describe('a service that is recorded as active', () => {
  const rows: readonly (readonly [what: string, record: Partial<Recorded>, doubt: string])[] = [
    ['whose module says that it runs is not in doubt', { status: '0' }, '-'],
    ['whose module says that it does not run has died', { status: '3' }, 'died'],
    ['whose record was removed while its module was asked has no doubt of its own', { status: 'gone' }, '-'],
    ['whose module runs, in spite of a restart, is not in doubt', { status: '0', boot: 'of-yore' }, '-'],
    [
      'whose module says that it does not run since a restart is not called dead',
      { status: '3', boot: 'of-yore' },
      'rebooted',
    ],
    ['whose module does not answer after a restart counts as stopped', { boot: 'of-yore' }, 'rebooted'],
    ['whose module declares no status counts as running', { declares: 'activate deactivate', status: '3' }, '-'],
    [
      'whose module declares no status counts as stopped after a restart',
      { declares: 'activate', boot: 'of-yore' },
      'rebooted',
    ],
    [
      'whose module declares nothing but what it must counts as running',
      { status: '3', declares: 'activate deactivate snapshot' },
      '-',
    ],
  ]

  test.each(rows)('%s', async (_, record, doubt) => {
    const { doubts } = await doubtsOf(recordsOf(WEB, 't1', { declares: DECLARED, ...record }))
    expect(doubts).toEqual([`web ${doubt}`])
  })

  test.each<readonly [string, Partial<Recorded>]>([
    ['while an activity of it runs', { running: true }],
    ['while it is being stopped', { state: 'deactivating' }],
    ['while it is being started', { state: 'activating' }],
  ])('is not asked %s', async (_, record) => {
    const records = recordsOf(WEB, 't1', { declares: DECLARED, status: '3', ...record })
    expect(await doubtsOf(records)).toEqual({ doubts: ['web -'], lines: [], asked: [] })
  })

  test('is assumed to run if its module does not answer in time, and a warning says so', async () => {
    const records = recordsOf(WEB, 't1', { declares: DECLARED })
    const { doubts, lines, asked } = await doubtsOf(records, { timeoutSeconds: 7 })
    expect([doubts, lines]).toEqual([
      ['web -'],
      ["warning: [t1] the module of 'web' did not report within 7 seconds whether it runs"],
    ])
    expect(asked).toEqual(['ask t1 - status 7 1 box key-web'])
  })

  test.each([
    [600, '30'],
    [undefined, '30'],
    [5, '5'],
  ])('is asked with a limit of %s seconds for %s at most', async (timeoutSeconds, limit) => {
    const records = recordsOf(WEB, 't1', { declares: DECLARED, status: '0' })
    const { asked } = await doubtsOf(records, timeoutSeconds === undefined ? {} : { timeoutSeconds })
    expect(asked).toEqual([`ask t1 - status ${limit} 1 box key-web`])
  })

  test('is asked together with all others of its target, as many at a time as the target has cores', async () => {
    const next = manifest({ placed: { web: ['t1'], api: ['t1'], db: ['t1'] }, cores: 2 })
    const records = recordsOf(next, 't1', { declares: DECLARED, status: '0' })
    expect((await doubtsOf(records, { next })).asked).toEqual([
      'ask t1 - status 30 2 box key-web box key-api box key-db',
    ])
  })

  test('is not asked if the next manifest does not have it there', async () => {
    const both = manifest({ placed: { web: ['t1'], api: ['t1'] } })
    const records = recordsOf(both, 't1', { declares: DECLARED, status: '3' })
    const { doubts, asked } = await doubtsOf(records)
    expect([doubts, asked]).toEqual([['web died', 'api -'], ['ask t1 - status 30 1 box key-web']])
  })

  test('is not asked without the secret that its module needs, and a warning says so', async () => {
    const next = manifest({ placed: { web: ['t1'] }, properties: { password: { secret: { env: 'PASSWORD' } } } })
    const records = recordsOf(next, 't1', { declares: DECLARED, status: '3' })
    const { doubts, asked, lines } = await doubtsOf(records, { next })
    expect([doubts, asked]).toEqual([['web -'], []])
    expect(lines[0]).toMatch(
      /^warning: \[t1\] cannot ask for the status of a service: property 'password' of container 'box' on 't1', which 'web' needs, cannot be resolved from .*PASSWORD.*: the vault is closed$/,
    )
  })

  test('is not waited for after an interruption', async () => {
    const interruption = new AbortController()
    const reason = new DavitError('interrupted', 'interrupted by SIGINT', { exitStatus: 130 })
    const before = async (operation: string) => {
      if (operation !== 'ask') return
      interruption.abort(reason)
      await new Promise(() => {})
    }
    const records = recordsOf(WEB, 't1', { declares: DECLARED, status: '0' })
    await expect(doubtsOf(records, { before, signal: interruption.signal })).rejects.toBe(reason)
  })
})
