import { DavitError, ExitStatus } from '@davit/diagnostics'
import { until } from '@davit/testing/wait'
import { afterEach, describe, expect, test } from 'vitest'

import { followLogs } from '../src/follow-logs.ts'
import type { LogLine, LogTerms } from '../src/service-logs.ts'
import { termsOf, type Told, toldMachine, type ToldMachine } from './told-machine.ts'

const lost = () => new DavitError('connection-lost', 'it is gone', { exitStatus: ExitStatus.unreachable })
const never = () => new Promise<never>(() => {})
const serviceOn = (target: string) => ({ target, logs: () => '', activities: { activate: '/log' } })
const webOn = (target: string, text: string) => {
  const files: Record<string, string> = { '/log': text }
  return { services: { web: serviceOn(target) }, files } satisfies Told
}

let interrupt = new AbortController()
afterEach(() => interrupt.abort(new Error('enough')))

type Open = (target: string) => Promise<ToldMachine>

function following(targets: readonly string[], open: Open, options: Partial<LogTerms> = {}) {
  interrupt = new AbortController()
  const terms = termsOf({ targets, ...options, signal: interrupt.signal })
  const shown: string[] = []
  const emit = async (lines: readonly LogLine[]) =>
    void shown.push(...lines.map(({ source: { target }, text }) => `${target} ${text}`))
  const ended = followLogs({ open, emit }, terms)
  ended.catch(() => {})
  const shows = (lines: readonly string[]) => until(() => expect(shown).toEqual(lines))
  const told = (texts: readonly string[]) => until(() => expect(terms.told()).toEqual(texts))
  return { shows, told, ended }
}

describe('followLogs()', () => {
  test('shows what some targets have while another one is still connected to', async () => {
    const { shows, told } = following(['slow', 'quick'], (target) =>
      target === 'slow' ? never() : Promise.resolve(toldMachine(webOn(target, 'up\n'))),
    )
    await shows(['quick up'])
    await told([])
  })

  test('merges what targets have at the beginning, also if one takes longer', async () => {
    const far = webOn('far', '2026-01-02T03:04:05Z one\n2026-01-02T03:04:07Z three\n')
    const near = webOn('near', '2026-01-02T03:04:06Z two\n')
    const { shows } = following(['near', 'far'], async (target) => {
      if (target === 'near') return toldMachine(near)
      await new Promise((resolve) => setTimeout(resolve, 500))
      return toldMachine(far)
    })
    await shows(['far one', 'near two', 'far three'])
  })

  test('reads one machine for targets with the same address, and tells of one without an address', async () => {
    const opened: string[] = []
    const terms = termsOf({ targets: ['one', 'two', 'nowhere'] })
    const infrastructure = new Map(
      [...terms.infrastructure].map(([name, target]) => {
        const properties = new Map(name === ('nowhere' as string) ? [] : [['hostname', 'same']])
        return [name, { ...target, properties }]
      }),
    )
    const services = { web: serviceOn('one'), db: serviceOn('two') }
    const open: Open = async (target) => {
      opened.push(target)
      if (target === 'nowhere') throw new DavitError('no-address', 'it has no address')
      return toldMachine({ services, files: { '/log': 'up\n' } })
    }
    const { shows, told } = following([], open, { infrastructure, services: new Set(['web', 'db']) })
    await shows(['one up', 'two up'])
    expect(opened).toEqual(['one', 'nowhere'])
    await told(['nowhere: its logs are interrupted: it has no address; trying again until it answers'])
  })

  test('tells of a loss and of the return once, and shows what was printed meanwhile', async () => {
    const has = webOn('t1', 'before\n')
    const first = toldMachine(has)
    const machines: (() => ToldMachine)[] = [
      () => first,
      () => {
        throw lost()
      },
      () => toldMachine(has),
    ]
    const { shows, told } = following(['t1'], async () => (machines.length > 1 ? machines.shift() : machines[0])!())
    await shows(['t1 before'])
    has.files['/log'] += 'meanwhile\n'
    first.lose(lost())
    await shows(['t1 before', 't1 meanwhile'])
    await told(['t1: its logs are interrupted: it is gone; trying again until it answers', 't1: its logs go on'])
    expect(first.isClosed()).toBe(true)
  })

  test('finds services that are deployed meanwhile', async () => {
    const has: { -readonly [Key in keyof Told]: Told[Key] } = { services: {}, files: { '/log': 'up\n' } }
    const machine = toldMachine(has)
    const { shows } = following(['t1'], async () => machine)
    await until(() => expect(machine.asked.includes('observe')).toBe(true))
    has.services = webOn('t1', '').services
    await shows(['t1 up'])
  })

  test('ends with the reason of an interruption, and with whatever is no failure of a machine', async () => {
    const { ended, shows } = following(['t1'], async () => toldMachine(webOn('t1', 'up\n')))
    await shows(['t1 up'])
    interrupt.abort(new Error('enough'))
    await expect(ended).rejects.toThrow('enough')
    const broken = following(['t1'], async () => {
      throw new TypeError('a mistake of davit')
    })
    await expect(broken.ended).rejects.toThrow('a mistake of davit')
  })
})
