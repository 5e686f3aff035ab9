import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { tellFigure } from '../packages/diagnostics/test/hostile.ts'
import { checkClaims, type World } from './faults/check-claims.ts'
import { randomFrom, sampleFaults } from './faults/choice.ts'
import { KINDS } from './faults/fault.ts'
import type { Laboratory } from './faults/laboratory.ts'
import { isFailure, renderFailure, renderPoints, renderTally, runFaults } from './faults/loop.ts'
import type { Points } from './faults/points.ts'
import type { JournalEntry, Survey } from './faults/survey.ts'
import type { Goal } from './faults/system.ts'
import { follow } from './faults/timeline.ts'
import { trace } from './faults/trace.ts'
import { openLaboratories, type Laboratories } from './faults/workshop.ts'
import { HOSTS_POSSIBLE } from './harness/hosts.ts'

const { DAVIT_FAULT_SEED: given, CI: inspection } = process.env
/** Changes are inspected by the same measure; whoever tests at other times tries something else each time. */
const SEED = Number(given || (inspection ? 11 : Date.now() % 1_000_000))
/** Every kind once, with steps and second faults in turn. */
const ROUNDS = KINDS.length

/** A sample of what `scripts/faults` tries as a whole. */
describe.skipIf(!HOSTS_POSSIBLE)('a deployment to three hosts that is interrupted', () => {
  let opened: Laboratories
  let laboratories: readonly Laboratory[]
  let points: Points

  beforeAll(async () => {
    opened = await openLaboratories({ prefix: inject('prefix'), count: 2 })
    laboratories = opened.laboratories
    points = await trace(laboratories[0]!)
  }, 5 * 60_000)
  afterAll(async () => opened?.close())

  test('the points at which it can be interrupted are many', () => {
    for (const step of ['install', 'upgrade', 'undeploy'] as const) {
      expect(points[step].length).toBeGreaterThan(100)
      for (const tool of ['normalize', 'manifest', 'distribute', 'lock', 'activate', 'set']) {
        expect(points[step].some((point) => point.startsWith(`davit-${tool}:`))).toBe(true)
      }
    }
    expect(points.failing.length).toBeGreaterThan(20)
  })

  test(
    'the next run makes all good, wherever it was',
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

describe('what a run claims is compared with what happened', () => {
  const goal = (profile: string, instances: readonly string[]): Goal => ({
    manifestOptions: [],
    modelOptions: [],
    text: profile,
    profiles: new Map([['fl1', `/store/${profile}`]]),
    instances: new Map(instances.map((name) => [`fl1:c:${name}`, name])),
  })
  const SECOND = 1_000_000_000n
  const before = goal('first', ['kept', 'old'])
  const attempted = goal('second', ['kept', 'new'])
  const after: Survey = {
    host: 'fl1',
    bootId: '',
    running: [],
    records: [],
    journal: [],
    profile: '/store/first',
    generations: [1],
    stored: ['first'],
    leftFiles: ['/var/lib/davit/targets/fl1/lock/default/holder'],
    leftProcesses: [],
  }
  const entry = (time: bigint, event: JournalEntry['event'], service: string): JournalEntry => {
    return { time, event, service, instance: `fl1:c:${service}`, host: 'fl1' }
  }
  /** The old service was stopped, and nothing else was done. */
  const journal = [entry(11n * SECOND, 'deactivating', 'old'), entry(12n * SECOND, 'down', 'old')]
  const world: World = {
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
  const problemsOf = (text: string) =>
    checkClaims(
      world,
      text.split('\n').map((line) => ({ text: line, time: 20n * SECOND })),
    )

  test.each([
    '[fl1] send packages (all are there): done',
    '[fl1] send 2 packages (3 kB): done',
    '[fl1] activate new in c: done',
    '[fl1] deactivate kept in c: done after 3 s',
    '[fl1] generation 1 of the profile',
    'generation 1 on the coordinator',
    'the coordinator has this generation already',
    'nothing to do: all services are as the manifest says',
    'activate kept in c on fl1 (the machine was restarted)',
    'davit-activate: the transition failed: all is as it was before [rolled-back]',
    'davit-activate: the transition was interrupted: all is as it was before [rolled-back]',
    "hint: the same command goes on from here; what remains: activate 'new' on 'fl2'",
    'davit-activate: cannot reach it [unreachable]\nhint: this step did nothing; with --skip-unreachable …',
    'davit-set: cannot reach it [unreachable]\nhint: this step did nothing; with --skip-unreachable …',
    'davit-lock: cannot reach it [unreachable]\nhint: this step did nothing; with --skip-unreachable …',
    "davit-distribute: packages did not reach 'fl2' [distribution-failed]",
    'davit-env: interrupted before davit-set [interrupted]',
    'warning: the lock was lost meanwhile',
    "hint: nothing was activated; 'fl1' has all its packages: the same command sends only what is missing",
    'hint: it left no lock: the same command takes one',
    'hint: nothing was begun on the targets: the same command begins again',
    'hint: no target was touched; what is built already is kept',
    "warning: 'kept', 'new' keep running on 'fl1', which is no longer in the infrastructure: …",
    'hint: nothing was done; -p NAME deploys under another name, beside it; --take-over stops it, and deploys in its place',
    'davit-activate: the transition failed: everything was undone [rolled-back]',
    '[fl1] everything is as you like it',
  ])('%s', (lie) => {
    expect(problemsOf(lie)).not.toEqual([])
  })

  test('the truth is believed', () => {
    const truth = [
      '[fl1] deactivate old in c: done',
      'rolling back',
      'davit-activate: the transition failed: the new services are gone, and not all of the old ones could be activated again [transition-failed]',
      "hint: the same command goes on from here; what remains: activate 'old' on 'fl1'",
      'davit-env: interrupted before davit-lock [interrupted]',
      'hint: what was not set yet, the same command sets',
    ]
    expect(problemsOf(truth.join('\n'))).toEqual([])
  })
})
