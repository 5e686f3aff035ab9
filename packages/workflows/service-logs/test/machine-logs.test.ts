import { DavitError, ExitStatus, type ReportEvent } from '@davit/diagnostics'
import type { TargetName } from '@davit/documents'
import { describe, expect, test } from 'vitest'

import type { LogTerms } from '../src/log-terms.ts'
import { MachineLogs } from '../src/machine-logs.ts'
import { say, withoutRepetition } from '../src/messages.ts'
import { readLogs } from '../src/read-logs.ts'
import { manifestWith, termsOf, type Told, toldMachine, type ToldMachine, type ToldService } from './told-machine.ts'

const T1 = ['t1' as TargetName]

/** Reads the logs of a machine on which there is `web`, and perhaps more. */
async function reading(told: Told, options: Partial<LogTerms> = {}, machine: ToldMachine = toldMachine(told)) {
  const terms = termsOf({ targets: ['t1'], ...options })
  const logs = new MachineLogs(T1, terms)
  const find = () => logs.find(machine)
  const read = async () => (await logs.read(machine)).map((lines) => lines.map(({ text }) => text))
  const end = () => logs.end().flatMap((lines) => lines.map(({ text }) => text))
  await find()
  return { read, end, find, logs, machine, told: terms.told }
}
const web = (service: Omit<ToldService, 'target'>): Told['services'] => ({ web: { target: 't1', ...service } })

describe('the logs of a service', () => {
  test('are those that its module names, and those of its activities', async () => {
    const services = web({
      logs: ({ DAVIT_LOG: log }) =>
        log === undefined ? 'file /own\nprogram unit@1.service\n' : `2026-01-02T03:04:05Z of ${log}\n`,
      activities: { activate: '/activate', lock: '/lock' },
    })
    const files = { '/own': 'own\n', '/activate': 'activating\n', '/lock': 'locking\n' }
    const all = await reading({ services, files })
    expect((await all.read()).flat().toSorted()).toEqual(['activating', 'locking', 'of unit@1.service', 'own'])
    expect([...all.logs.services]).toEqual(['web'])
    const some = await reading({ services, files }, { activities: new Set(['lock']) })
    expect(await some.read()).toEqual([['locking']])
    const ofActivities = await reading({ services, files }, { activities: 'all' })
    expect(await ofActivities.read()).toEqual([['activating'], ['locking']])
    expect(ofActivities.machine.asked).not.toContain('call_logs')
    expect([...all.told(), ...some.told(), ...ofActivities.told()]).toEqual([])
  })

  test('are those on the targets and in the containers that are asked for', async () => {
    const activities = { activate: '/log' }
    const services = {
      web: { target: 't1', activities },
      db: { target: 't1', activities },
      far: { target: 't2', activities },
      boxed: { target: 't1', container: 'box', activities },
    }
    const options = { services: new Set(['web', 'far', 'boxed']), activities: 'all' } as const
    const all = await reading({ services, files: {} }, options)
    expect([...all.logs.services]).toEqual(['web', 'boxed'])
    const none = await reading({ services }, { services: new Set(['nowhere']) })
    expect([await none.read(), none.machine.asked]).toEqual([[], ['observe', 'read_files']])
    const boxed = await reading({ services, files: {} }, { ...options, containers: new Set(['box']) })
    expect([...boxed.logs.services]).toEqual(['boxed'])
  })

  test.each<[string, Omit<ToldService, 'target'>, string]>([
    ['has none', {}, "the module 'process' tells of no log of 'web' itself: only those of its activities are shown"],
    ['fails, and says why', { logs: () => 'hm\nno unit\n', status: 3 }, "cannot read the log of 'web': no unit"],
    ['fails', { logs: () => '', status: 3 }, "cannot read the log of 'web': its module ended with status 3"],
    [
      'names none that is known',
      { logs: () => `fifo ${'x'.repeat(300)}\n` },
      `the module of 'web' tells of a log as 'fifo ${'x'.repeat(195)}': expected 'file PATH' or 'program NAME'`,
    ],
    [
      'names a file that is not absolute',
      { logs: () => 'file log\n' },
      "the module of 'web' tells of a log as 'file log': expected 'file PATH' or 'program NAME'",
    ],
  ])('are left out with the reason if its module %s', async (_, service, reason) => {
    const { read, told } = await reading({ services: web(service) })
    expect([await read(), told()]).toEqual([[], [`t1: ${reason}`]])
  })

  test('of which the record is damaged are those of its activities', async () => {
    const services = web({ logs: () => 'file /own\n', isDamaged: true, activities: { activate: '/log' } })
    const { read, told, machine } = await reading({ services, files: { '/log': 'up\n' } })
    expect([await read(), told()]).toEqual([
      [['up']],
      ["t1: the module 'unknown' tells of no log of 'web' itself: only those of its activities are shown"],
    ])
    expect(machine.asked).not.toContain('call_logs')
  })

  test('that was never active are those of its activities, of which nothing is said', async () => {
    const { read, told, machine } = await reading({ services: {} }, { expected: manifestWith('web', 't1') })
    expect([await read(), told(), machine.asked]).toEqual([[], [], ['observe', 'activity_logs', 'read_files']])
  })

  test('are at most a hundred', async () => {
    const files = Object.fromEntries(Array.from({ length: 120 }, (__, at) => [`/log-${at}`, `${at}\n`]))
    const logs = () =>
      Object.keys(files)
        .map((path) => `file ${path}\n`)
        .join('')
    const { read, machine } = await reading({ services: web({ logs }), files })
    expect((await read()).flat()).toHaveLength(100)
    // No answer is longer than it may be.
    expect(machine.asked.filter((operation) => operation === 'read_files')).toHaveLength(13)
  })

  test('are not asked of the module if its secrets cannot be resolved', async () => {
    const machine = toldMachine({
      services: web({ logs: () => 'file /own\n', secret: 'NONE', activities: { activate: '/log' } }),
      files: { '/log': 'up\n' },
    })
    const { read, told } = await reading({ services: {} }, {}, machine)
    expect(await read()).toEqual([['up']])
    expect(machine.asked).not.toContain('call_logs')
    expect(told()).toEqual([
      "t1: secrets of 'web' are not hidden in its logs: property 'password' of container 'process' on 't1', which 'web' needs, cannot be resolved from variable 'NONE': secrets are not resolved here",
    ])
  })
})

test('what is no matter of secrets, or of a machine, is not taken for one', async () => {
  const resolve = () => Promise.reject(new TypeError('a mistake'))
  const machine = toldMachine({ services: web({ secret: 'NONE' }) }, { resolve })
  await expect(reading({ services: {} }, {}, machine)).rejects.toThrow('a mistake')
})

test('withoutRepetition() tells what lasts once, and what may come again as often as it comes', () => {
  const told: ReportEvent[] = []
  const report = withoutRepetition((event) => void told.push(event))
  const lasting = (service: string) => say('no-own-log', { target: 't1', service, type: 'x' })
  const again = say('logs-continue', { target: 't1' })
  const step = { kind: 'started', id: '1', step: 'x' } as const
  for (const event of [lasting('web'), lasting('db'), lasting('web'), again, again, step, step]) report(event)
  expect(told).toEqual([lasting('web'), lasting('db'), again, again, step, step])
})

describe('files', () => {
  const logged = (text: string) => {
    const files: Record<string, string> = { '/log': text }
    return { services: web({ logs: () => 'file /log\n' }), files }
  }

  test('are read from their last lines on, and each line once it is complete', async () => {
    const has = logged('one\ntwo\nthr')
    const { read, end } = await reading(has, { lines: 2 })
    expect(await read()).toEqual([['two']])
    expect(await read()).toEqual([])
    has.files['/log'] += 'ee\nfour'
    expect(await read()).toEqual([['three']])
    expect(end()).toEqual(['four'])
    expect(end()).toEqual([])
  })

  test('are shown since a time', async () => {
    const has = logged('2026-01-02T03:04:05Z early\n2026-01-02T03:04:06Z then\n2026-01-02T03:04:07Z late\n')
    const { read } = await reading(has, { since: Date.parse('2026-01-02T03:04:06Z') })
    expect(await read()).toEqual([['then', 'late']])
  })

  test('that grow too fast are read in part, which is told', async () => {
    const has = logged('')
    const { read, told } = await reading(has)
    await read()
    has.files['/log'] = `${'x'.repeat(99)}\n`.repeat(11_000)
    expect((await read()).flat()).toHaveLength(10_486)
    expect(told()).toEqual(["t1: 51424 bytes of a log of 'web' are left out, as it grows too fast"])
  })

  test('do not show secrets, also if these have several lines', async () => {
    const has = logged('it is one\ntwo\n')
    const machine = toldMachine(has, { redact: (text) => text.replaceAll('one\ntwo', '[secret]') })
    const { read } = await reading(has, {}, machine)
    expect(await read()).toEqual([['it is [secret]']])
  })
})

describe('programs', () => {
  const asked: Record<string, string>[] = []
  const printing = (print: () => string) =>
    web({
      logs: (variables) => {
        if (variables['DAVIT_LOG'] === undefined) return 'program unit\n'
        asked.push({ ...variables })
        return print()
      },
    })

  test('are asked for what comes after the last time, of which each line is shown once', async () => {
    asked.length = 0
    let printed = '1700000000.500 one\n1700000000.500 one\n  goes on\n'
    const { read } = await reading({ services: printing(() => printed) }, { lines: 7 })
    expect(await read()).toEqual([['one', 'one', '  goes on']])
    printed += '1700000000.500000 two\n  goes on\n'
    expect(await read()).toEqual([['two', '  goes on']])
    expect(await read()).toEqual([])
    printed = '1700000000.500 one\n1700000001 not a time\n1700000003.250 three\n1700000002.100 late\n'
    expect((await read()).flat()).toContain('three')
    expect(asked.map(({ DAVIT_LOG_LINES: lines, DAVIT_LOG_SINCE: since }) => [lines, since])).toEqual([
      ['7', ''],
      ['10000', '1700000000.500000000'],
      ['10000', '1700000000.500000000'],
      ['10000', '1700000000.500000000'],
    ])
    printed = ''
    await read()
    expect(asked.at(-1)).toMatchObject({ DAVIT_LOG_SINCE: '1700000003.250000000' })
  })

  test('may print the same line at the same time again, or others before it', async () => {
    const one = '1700000000.500 one\n'
    let printed = `${one}${one}1700000000.500 two\n`
    const { read } = await reading({ services: printing(() => printed) })
    expect(await read()).toEqual([['one', 'one', 'two']])
    printed = `1700000000.500 new\n${one}${one}${one}1700000000.500 two\n`
    expect(await read()).toEqual([['new', 'one']])
    expect(await read()).toEqual([])
  })

  test('with times of days are asked in the same way', async () => {
    asked.length = 0
    let printed = '2026-01-02T03:04:05.5Z one\n'
    const { read } = await reading({ services: printing(() => printed) }, { since: 1_600_000_000_000 })
    expect(await read()).toEqual([['one']])
    printed += '2026-01-02T04:04:05.6+01:00 two\n'
    expect(await read()).toEqual([['two']])
    expect(asked.map(({ DAVIT_LOG_SINCE: since }) => since)).toEqual(['1600000000', '1767323045.500000000'])
  })

  test('that print nothing are asked for what comes from then on', async () => {
    asked.length = 0
    const { read } = await reading({ services: printing(() => '') })
    await read()
    await read()
    expect(asked.map(({ DAVIT_LOG_SINCE: since }) => since)).toEqual(['', '1700000000'])
  })

  test('that print too much lose the line at the beginning, which is not complete', async () => {
    const { read } = await reading({ services: printing(() => `${'x'.repeat(2_000_000)}\n1700000000.500 last\n`) })
    expect(await read()).toEqual([['last']])
  })

  test('that fail are told with the reason, and asked again', async () => {
    let status = 4
    const services = web({
      logs: ({ DAVIT_LOG: log }) => (log === undefined ? 'program unit\n' : '1700000000.500 no journal\n'),
      statusOf: ({ DAVIT_LOG: log }) => (log === undefined ? 0 : status),
    })
    const { read, told } = await reading({ services })
    expect(await read()).toEqual([])
    expect(told()).toEqual(["t1: cannot read the log of 'web': 1700000000.500 no journal"])
    status = 0
    expect(await read()).toEqual([['no journal']])
  })
})

describe('readLogs()', () => {
  const reached = (machines: Readonly<Record<string, ToldMachine>>) => ({
    targets: new Map(
      Object.entries(machines).map(([name, machine]) => [name as TargetName, { name: name as TargetName, machine }]),
    ),
    unreachable: new Map<TargetName, DavitError>(),
  })
  const on = (target: string, text: string) =>
    toldMachine(
      { services: { web: { target, logs: () => 'file /log\n' } }, files: { '/log': text } },
      undefined,
      target,
    )

  test('merges what machines have, with what has no end, and names those that fail', async () => {
    const lost = on('t2', '')
    lost.lose(new DavitError('connection-lost', 'it is gone', { exitStatus: ExitStatus.unreachable }))
    const terms = termsOf({ targets: ['t1', 't2', 't3'] })
    const machines = {
      t1: on('t1', '2026-01-02T03:04:05Z one\n2026-01-02T03:04:07Z three'),
      t2: lost,
      t3: on('t3', '2026-01-02T03:04:06Z two\n'),
    }
    const { lines, services, failures } = await readLogs(reached(machines), terms)
    expect(lines.map(({ source: { target }, text }) => `${target} ${text}`)).toEqual(['t1 one', 't3 two', 't1 three'])
    expect([[...services], [...failures.keys()]]).toEqual([['web'], ['t2']])
    expect(terms.told()).toEqual(['t2: cannot read its logs: it is gone'])
  })

  test('does not take an interruption, or a mistake of davit, for a failure of a machine', async () => {
    const interrupt = new AbortController()
    interrupt.abort(new Error('enough'))
    const lost = on('t1', '')
    lost.lose(new DavitError('connection-lost', 'it is gone', { exitStatus: ExitStatus.unreachable }))
    const terms = termsOf({ targets: ['t1'], signal: interrupt.signal })
    await expect(readLogs(reached({ t1: lost }), terms)).rejects.toThrow('enough')
    const broken = on('t1', '')
    broken.lose(new TypeError('a mistake'))
    await expect(readLogs(reached({ t1: broken }), termsOf({ targets: ['t1'] }))).rejects.toThrow('a mistake')
  })
})
