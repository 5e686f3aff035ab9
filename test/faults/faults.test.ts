import { existsSync } from 'node:fs'
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tellFigure } from '@davit/testing/effort'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { ROOT } from '../../scripts/executables.ts'
import { checkBack } from './judge/check-back.ts'
import { checkClaims, type World } from './judge/check-claims.ts'
import { randomFrom, SAMPLE_SIZE, sampleFaults } from './inject/choice.ts'
import { commitHere } from './drive/commit.ts'
import { type Fault, nameOf, parseFault } from './inject/fault.ts'
import { createLedger } from './drive/ledger.ts'
import { isFailure, renderFailure, renderPoints, renderTally, runFaults } from './drive/loop.ts'
import { readOrder } from './drive/order.ts'
import { type Plan, resumedPlan } from './drive/plan.ts'
import { alikes, type AllPoints, onlyOnTrial, type Place, type Points } from './inject/points.ts'
import type { RoundResult } from './drive/round.ts'
import type { JournalEntry, Survey } from './observe/survey.ts'
import type { Goal, Step } from './drive/system.ts'
import { follow } from './observe/timeline.ts'
import { trace } from './drive/trace.ts'
import { openLaboratories, type Laboratories } from './drive/workshop.ts'
import { HOSTS_POSSIBLE } from '../harness/hosts.ts'

const { DAVIT_FAULT_SEED: given, CI: inspection, DAVIT_TEST_ALL: all } = process.env
/** Inspections of changes use a fixed seed. All other runs use a different one each time. */
const SEED = Number(given || (inspection ? 11 : Date.now() % 1_000_000))
/**
 * Enough rounds for a third of the kinds that differ, chosen at random, with steps, ways to go on and second faults in turn; for every one
 * of these kinds if the choice is always the same, and with `--all`.
 */
const ROUNDS = inspection || all ? SAMPLE_SIZE : Math.ceil(SAMPLE_SIZE / 3)

/** Runs a sample of the rounds of `scripts/faults`. */
describe.skipIf(!HOSTS_POSSIBLE)('a deployment to three hosts that is interrupted', () => {
  let opened: Laboratories
  let laboratories: Laboratories['laboratories']
  let points: AllPoints

  beforeAll(async () => {
    opened = await openLaboratories({ prefix: inject('prefix'), count: 1 })
    laboratories = opened.laboratories
    points = await trace(laboratories)
  }, 5 * 60_000)
  afterAll(async () => opened?.close())

  test('has many points at which it can be interrupted', () => {
    for (const step of ['install', 'upgrade', 'undeploy'] as const) {
      expect(points.usual[step].length).toBeGreaterThan(100)
      for (const tool of ['normalize', 'manifest', 'distribute', 'lock', 'activate', 'set']) {
        expect(points.usual[step].some((point) => point.startsWith(`davit-${tool}:`))).toBe(true)
      }
    }
    expect(points.usual.failing.length).toBeGreaterThan(20)
    for (const moment of ['before-trial_begin', 'after-trial_extend', 'before-trial_confirm']) {
      expect(onlyOnTrial(points).upgrade.some((point) => point.startsWith(`davit-activate:${moment}:`))).toBe(true)
    }
    expect(onlyOnTrial(points).failing.some((point) => point.startsWith('davit-activate:before-trial_revert:'))).toBe(
      true,
    )
  })

  test(
    'is repaired by the next run, wherever the interruption was',
    async () => {
      const say = (text: string) => process.stdout.write(`${text}\n`)
      say(`DAVIT_FAULT_SEED=${SEED}; ${renderPoints(points)}; ${ROUNDS} rounds`)
      const results = await runFaults(laboratories, sampleFaults(points, ROUNDS, randomFrom(SEED)), { say: () => {} })
      say(renderTally(results))
      tellFigure(`kill points (seed ${SEED}): ${renderTally(results).split('\n', 1).join()}; ${renderPoints(points)}`)
      expect(results.filter(isFailure).map(renderFailure).join('\n')).toBe('')
    },
    20 * 60_000,
  )
})

const goalOf = (profile: string, instances: readonly string[]): Goal => ({
  manifestOptions: [],
  modelOptions: [],
  toldAnew: [],
  text: profile,
  profiles: new Map([['fl1', `/store/${profile}`]]),
  instances: new Map(instances.map((name) => [`fl1:c:${name}`, name])),
})

describe('what a run claims is compared with what happened', () => {
  const SECOND = 1_000_000_000n
  const before = goalOf('first', ['kept', 'old'])
  const attempted = goalOf('second', ['kept', 'new'])
  const after: Survey = {
    host: 'fl1',
    bootId: '',
    running: [],
    records: [],
    journal: [],
    profile: '/store/first',
    generations: [1],
    rows: [],
    trial: 'none',
    stored: ['first'],
    leftFiles: ['/var/lib/davit/targets/fl1/lock/default/holder'],
    leftProcesses: [],
  }
  const entry = (time: bigint, event: JournalEntry['event'], service: string): JournalEntry => {
    return { time, event, service, instance: `fl1:c:${service}`, host: 'fl1' }
  }
  /** A run in which only the old service was stopped. */
  const journal = [entry(11n * SECOND, 'deactivating', 'old'), entry(12n * SECOND, 'down', 'old')]
  const world: World = {
    before,
    attempted,
    names: new Map([...before.instances, ...attempted.instances]),
    run: { startedAt: 10n * SECOND, passed: ['davit-set:begin:-:1'] },
    start: [{ ...after, profile: '/store/none', leftFiles: [] }],
    after: [after],
    coordinator: { generations: [1], manifest: 'first', leftFiles: [], leftProcesses: [] },
    journal,
    stateAt: (time) =>
      follow(
        journal.filter((happened) => happened.time <= time),
        before.instances,
      ),
    isAlone: true,
    rebooted: new Set(),
    reinstalled: new Set(),
    boots: new Set(),
  }
  const problemsOf = (...lines: readonly (object | string)[]) =>
    checkClaims(
      world,
      lines.map((line) => ({ text: typeof line === 'string' ? line : JSON.stringify(line), time: 20n * SECOND })),
    )
  const done = (kind: string, service: string) => {
    const activity = { kind, service, container: 'c' }
    return { kind: 'finished', tool: 'davit-activate', id: service, target: 'fl1', step: service, activity }
  }
  const note = (code: string, fields: object = {}) => ({
    kind: 'note',
    tool: 'davit-set',
    code,
    message: '',
    ...fields,
  })
  const error = (tool: string, code: string, fields: object = {}) => ({
    kind: 'error',
    tool,
    code,
    message: '',
    ...fields,
  })
  const named = (activity: string, service: string, target: string) => ({ activity, service, target })
  const advice = { hint: 'whatever it is' }
  const rest = { outcome: 'old-services-lost', unknown: [] }

  test.each<object | string>([
    { kind: 'finished', tool: 'davit-distribute', id: 'send fl1', target: 'fl1', step: 'send packages' },
    done('activate', 'new'),
    done('deactivate', 'kept'),
    note('profile-set', { target: 'fl1', generation: 1 }),
    note('generation-added', { generation: 1 }),
    note('generation-unchanged', { generation: 1 }),
    note('all-as-manifest'),
    note('unchanged', { everything: ['services'] }),
    note('activity-planned', { target: 'fl1', reasons: ['rebooted'] }),
    note('lock-lost-meanwhile'),
    note('nothing-wanted'),
    note('no-generations'),
    note('nothing-there', { targets: ['fl1'] }),
    note('trial-confirmed', { targets: ['fl1'] }),
    note('trial-was-confirmed', { target: 'fl1' }),
    note('trial-went-back', { target: 'fl1' }),
    note('left-behind', { services: ['kept', 'new'], target: 'fl1' }),
    error('davit-activate', 'rolled-back'),
    error('davit-activate', 'transition-failed', { ...rest, remaining: [named('activate', 'new', 'fl2')] }),
    error('davit-activate', 'targets-unreachable'),
    error('davit-set', 'targets-unreachable'),
    error('davit-lock', 'targets-unreachable'),
    error('davit-activate', 'not-confirmed', { exitStatus: 1 }),
    error('davit-activate', 'not-revertible'),
    error('davit-env', 'no-generation'),
    error('davit-reconstruct', 'nothing-found'),
    error('davit-reconstruct', 'half-recorded'),
    error('davit-reconstruct', 'wanted-unknown'),
    error('davit-distribute', 'distribution-failed', { delivered: ['fl1'], missing: ['fl2'] }),
    error('davit-distribute', 'interrupted', { ...advice, delivered: ['fl1'], missing: [] }),
    error('davit-env', 'interrupted', { ...advice, before: 'davit-set' }),
    error('davit-lock', 'interrupted', advice),
    error('davit-lock', 'not-locked', { target: 'fl1' }),
    error('davit-activate', 'interrupted', advice),
    error('davit-manifest', 'interrupted', advice),
    error('davit-activate', 'not-ours'),
    error('davit-activate', 'a-new-code'),
    note('a-new-code', { target: 'fl1' }),
    'everything is as you like it',
  ])('%o', (lie) => {
    expect(problemsOf(lie)).not.toEqual([])
  })

  test('true claims are accepted', () => {
    const truth = [
      done('deactivate', 'old'),
      note('rolling-back'),
      error('davit-activate', 'transition-failed', { ...rest, remaining: [named('activate', 'old', 'fl1')] }),
      error('davit-env', 'interrupted', { ...advice, before: 'davit-lock' }),
      error('davit-set', 'interrupted', advice),
      error('davit-activate', 'not-confirmed', { exitStatus: 2 }),
      error('davit-lock', 'unlock-refused'),
      'Terminated',
    ]
    expect(problemsOf(...truth)).toEqual([])
  })
})

test.each([
  'install env:KILL davit-activate:before-start:fl1:1',
  'upgrade group:INT davit-set:begin:-:1 then cut davit-activate:connect:fl2:1 second resumed',
  'undeploy twice:TERM davit-activate:done:fl3:2 second held aborted',
  'failing sshd davit-activate:before-start:fl3:2 second connect resumed',
  'upgrade reboot davit-activate:before-trial_begin:fl1:1 second confirmed aborted',
])('the name of a round says all of it: %s', (name) => {
  expect(nameOf(parseFault(name)!)).toBe(name)
})

test('a host that was to go back runs all that is old, or all that is new', () => {
  const goals = {
    before: goalOf('first', ['kept', 'old']),
    next: goalOf('second', ['kept', 'new']),
  }
  const problemsAfter = (status: number | null, ...services: readonly string[]) => {
    const instances = services.map((service) => `fl1:c:${service}`)
    const records = instances.map((instance) => `${instance} active`)
    const back = [{ host: 'fl1', running: instances, records, journal: [], trial: 'none' }]
    const stages = [{ run: { step: 'upgrade', status } }]
    const all = { upgrade: goals.next }
    return checkBack({ back, stages, interruptions: 1 } as never, { ...goals, all } as never)
  }
  expect([problemsAfter(null, 'kept', 'old'), problemsAfter(null, 'kept', 'new')]).toEqual([[], []])
  for (const mixture of [['kept'], ['kept', 'old', 'new'], []]) expect(problemsAfter(null, ...mixture)).not.toEqual([])
  expect(problemsAfter(0, 'kept', 'new')).toEqual([])
  expect(problemsAfter(0, 'kept', 'old')).not.toEqual([])
})

describe('only one of several equivalent places is tried', () => {
  const isTogether = (points: Partial<Points>, ...places: readonly Place[]): boolean => {
    const classes = alikes({ install: [], failing: [], upgrade: [], undeploy: [], ...points })
    return classes.some((alike) =>
      places.every(({ step, point }) => alike.some((one) => one.step === step && one.point === point)),
    )
  }
  const at = (step: Step) => (point: string) => ({ step, point })

  test.each([
    ['questions without a change between them', ['davit-set:begin:-:1', 'davit-set:connect:fl1:1'], true],
    ['before and after a change', ['davit-set:connect:fl1:1', 'davit-set:before-set_profile:fl1:1'], false],
    ['hosts', ['davit-set:before-set_profile:fl1:1', 'davit-set:before-set_profile:fl2:1'], true],
    ['activities', ['davit-activate:before-start:fl1:1', 'davit-activate:before-start:fl2:1'], false],
    ['builds in a row', ['davit-manifest:before-start:-:1', 'davit-manifest:before-start:-:5'], true],
    ['the fifth build and the sixth', ['davit-manifest:before-start:-:5', 'davit-manifest:before-start:-:6'], false],
    [
      'a build that begins, and one that runs',
      ['davit-manifest:before-start:-:1', 'davit-manifest:started:-:1'],
      false,
    ],
  ])('%s', (_, points, expected) => {
    expect(isTogether({ install: points }, ...points.map(at('install')))).toBe(expected)
  })

  test.each([
    ['davit-manifest:mkdir:-:3', 'install', true],
    ['davit-distribute:before-native_commit:fl1:1', 'undeploy', true],
    ['davit-distribute:before-native_commit:fl1:1', 'install', false],
    ['davit-lock:before-lock:fl1:1', 'undeploy', false],
  ] as const)('%s at upgrade and %s', (point, step, expected) => {
    expect(isTogether({ upgrade: [point], [step]: [point] }, at('upgrade')(point), at(step)(point))).toBe(expected)
  })
})

describe.skipIf(!existsSync(join(ROOT, '.git')))('a whole run is the sum of several', () => {
  let directory: string
  beforeEach(async () => void (directory = await mkdtemp(join(tmpdir(), 'davit-ledger-'))))
  afterEach(() => rm(directory, { recursive: true }))

  const subject = (file: string) => ({ commit: commitHere(file), seed: 7, extent: 'one-of-each', name: '' }) as const
  const faults = Array.from({ length: 9 }, (_, index) =>
    parseFault(`install env:KILL davit-activate:done:fl1:${index + 1}`)!,
  )
  const result = (fault: Fault, problems: readonly string[] = []): RoundResult => {
    return { fault, isStruck: true, status: 137, problems, messages: 'words' }
  }
  const plan = (file: string, ...argv: readonly string[]) => resumedPlan(readOrder(['--resume', file, ...argv]))
  const numbersIn = (left: Plan | undefined) => left?.faults.map(({ point }) => Number(point.split(':').at(-1)))

  test('recorded rounds are not tried again, even if the loop was killed while it wrote', async () => {
    const file = join(directory, 'rounds')
    expect(plan(file)).toBeUndefined()
    const first = createLedger(file, subject(file), faults)
    first.add(result(faults[0]!))
    first.add(result(faults[4]!, ['it was a bug']))
    await appendFile(file, '{"round":5,"na')
    const second = plan(file, '--rounds', '3')!
    expect(numbersIn(second)).toEqual([2, 3, 4])
    for (const fault of second.faults) second.record(result(fault))
    const third = plan(file)!
    expect(numbersIn(third)).toEqual([6, 7, 8, 9])
    expect(third.renderSum()).toContain('5 of 9 rounds, 1 failed, 4 left')
    expect(third.renderSum()).toContain('failed: install env:KILL davit-activate:done:fl1:5')
    expect([third.hasFailed(), third.isWhole()]).toEqual([true, false])
    for (const fault of third.faults) third.record(result(fault))
    expect(plan(file)?.isWhole()).toBe(true)
  })

  test('shares are disjoint parts that together are all rounds', () => {
    const file = join(directory, 'rounds')
    createLedger(file, subject(file), faults)
    const shares = ['1/3', '2/3', '3/3'].map((share) => numbersIn(plan(file, '--share', share)))
    expect(shares).toEqual([
      [1, 4, 7],
      [2, 5, 8],
      [3, 6, 9],
    ])
  })

  test.each([
    [{ commit: '0123456789abcdef' }, [], 'was begun on commit 0123456789ab, and this is '],
    [{}, ['--seed', '8'], 'was begun with seed 7, not 8'],
    [{}, ['install'], "was begun with the name '', not 'install'"],
    [{}, ['--every-signal'], 'was begun without --every-signal'],
  ])('another run is refused: %o %o', (other, argv, message) => {
    const file = join(directory, 'rounds')
    createLedger(file, { ...subject(file), ...other }, faults)
    expect(() => plan(file, ...argv)).toThrow(message)
  })

  test.each(['', 'words\n', '{}\n', '{"subject":{},"rounds":["upgrade nothing"]}\n'])(
    'another file is left alone: %o',
    async (text) => {
      const file = join(directory, 'rounds')
      await writeFile(file, text)
      expect(() => plan(file)).toThrow(`'${file}' is not a file of scripts/faults --resume`)
      expect(await readFile(file, 'utf8')).toBe(text)
    },
  )

  test('messages with unknown codes are reported once, and are not a failure of davit', () => {
    const unknown = (number: number) =>
      `run 1: it said 'a new message ${number}', and it is not known whether that is a claim`
    const tally = renderTally([
      result(faults[0]!, [unknown(1)]),
      result(faults[1]!, [unknown(2), 'it was a bug']),
      result(faults[2]!, [unknown(3)]),
    ])
    expect(tally).toContain('3 rounds, 3 failed')
    expect(tally).toContain(
      '2 failed only because the codes of these messages are neither in claims.ts nor in no-claims.ts:',
    )
    expect(tally.match(/a new message/g)).toHaveLength(1)
  })
})
