import { DavitError, type ReportEvent } from '@davit/diagnostics'
import type { TargetName } from '@davit/documents'
import { NO_SECRETS } from '@davit/secrets'
import { definitionOf } from '@davit/target'
import { describe, expect, test } from 'vitest'

import { renderTasks, runTasks, stateError, type StateTask, type TaskTerms } from '../src/state-runner.ts'
import type { StateStep, StepKind, StepOutcome } from '../src/task.ts'
import { manifest, stateful } from './scene.ts'

const ALL = manifest({ a: ['t1'], b: ['t1'], c: ['t2'], d: ['t3'] })
const LOST = new DavitError('lock-lost', 'somebody else has the lock', { exitStatus: 1 })

/** What steps do by their texts, such as `restore b`; without an entry, they succeed at once. */
type Happenings = Readonly<Record<string, () => Promise<StepOutcome>>>

/** Tasks in the form `a t1: snapshot fetch`; `@t2` says that a step is done there. */
function tasks(lines: readonly string[], happens: Happenings = {}) {
  const log: string[] = []
  const made = lines.map((line): StateTask => {
    const [place = '', kinds = ''] = line.split(': ')
    const [service, target] = place.split(' ')
    const steps = kinds.split(' ').map((word): StateStep => {
      const [kind, at] = word.split('@') as [StepKind, string?]
      const text = `${kind} ${service}`
      const run = async () => {
        log.push(text)
        const outcome: StepOutcome = (await happens[text]?.()) ?? { kind: 'succeeded' }
        log.push(`end of ${text}`)
        return outcome
      }
      return { kind, text, where: `on ${at ?? target}`, run, ...(at === undefined ? {} : { at: at as TargetName }) }
    })
    return { stateful: stateful(ALL, place), target: target as TargetName, steps }
  })
  return { made, log, begun: () => log.filter((one) => !one.startsWith('end of ')) }
}

async function run(made: readonly StateTask[], terms: Partial<TaskTerms> = {}) {
  const events: ReportEvent[] = []
  const report = (event: ReportEvent) => void events.push(event)
  const { signal } = new AbortController()
  const defaults = { order: 'breadth-first', coresOf: () => 1, maxTransfers: 1, report, signal } as const
  return { failures: await runTasks(made, { ...defaults, ...terms }), events }
}

const failed = (message: string) => async (): Promise<StepOutcome> => ({ kind: 'failed', message })

/** Steps that wait until as many have begun as may run at the same time, and no more than that. */
function together(count: number) {
  let running = 0
  let most = 0
  let open = () => {}
  const full = new Promise<void>((resolve) => (open = resolve))
  const step = async (): Promise<StepOutcome> => {
    running += 1
    most = Math.max(most, running)
    if (running === count) open()
    await full
    // Whatever may begin besides begins before this ends.
    await new Promise((resolve) => setImmediate(resolve))
    running -= 1
    return { kind: 'succeeded' }
  }
  return { step, most: () => most }
}

describe('runTasks()', () => {
  const TWO = ['a t1: snapshot fetch clean', 'c t2: snapshot fetch clean']

  test('does each kind of step for all tasks before the next kind', async () => {
    const { made, begun } = tasks(['a t1: restore clean', 'c t2: snapshot fetch clean'])
    expect(await run(made)).toMatchObject({ failures: [] })
    expect(begun()).toEqual(['snapshot c', 'fetch c', 'restore a', 'clean a', 'clean c'])
  })

  test('does one task of a target after the other, if that is asked for', async () => {
    const { made, begun } = tasks(['a t1: snapshot fetch clean', 'b t1: snapshot fetch clean'])
    await run(made, { order: 'depth-first', coresOf: () => 4 })
    expect(begun()).toEqual(['snapshot a', 'fetch a', 'clean a', 'snapshot b', 'fetch b', 'clean b'])
  })

  test.each(['breadth-first', 'depth-first'] as const)(
    'ends a task whose step fails, and no other: %s',
    async (order) => {
      const { made, begun } = tasks(TWO, { 'fetch a': failed('the disk is full') })
      const { failures } = await run(made, { order })
      expect(failures.map(({ task, step, message }) => [task.target, step.text, message])).toEqual([
        ['t1', 'fetch a', 'the disk is full'],
      ])
      expect(begun().toSorted()).toEqual(['clean c', 'fetch a', 'fetch c', 'snapshot a', 'snapshot c'])
    },
  )

  test('takes an error that people can act on for a failure, with its hint', async () => {
    const error = new DavitError('no-snapshot', 'there is no snapshot', { hint: 'take one' })
    const { made } = tasks(TWO, { 'snapshot a': () => Promise.reject(error) })
    const { failures } = await run(made)
    expect(failures.map(({ message }) => message)).toEqual(['there is no snapshot: take one'])
  })

  test('does not take any other error for one', async () => {
    const bug = new TypeError('undefined is not a function')
    const { made } = tasks(TWO, { 'snapshot a': () => Promise.reject(bug) })
    await expect(run(made)).rejects.toBe(bug)
  })

  test.each(['breadth-first', 'depth-first'] as const)(
    'begins nothing more once the lock is lost, and fails with that: %s',
    async (order) => {
      const { made, begun } = tasks(TWO, { 'snapshot a': () => Promise.reject(LOST) })
      await expect(run(made, { order })).rejects.toBe(LOST)
      expect(begun()).toEqual(order === 'depth-first' ? ['snapshot a'] : ['snapshot a', 'snapshot c'])
    },
  )

  test('completes what has begun after a signal, and begins nothing more', async () => {
    const interruption = new AbortController()
    const abort = async (): Promise<StepOutcome> => {
      await new Promise((resolve) => setImmediate(resolve))
      interruption.abort(new Error('SIGINT'))
      return { kind: 'succeeded' }
    }
    const { made, log } = tasks(TWO, { 'snapshot a': abort })
    const { failures } = await run(made, { signal: interruption.signal, maxTransfers: 2 })
    expect(failures).toEqual([])
    expect(log.toSorted()).toEqual(['end of snapshot a', 'end of snapshot c', 'snapshot a', 'snapshot c'])
  })

  test('runs as many activities on a target as it has cores, and on all targets at the same time', async () => {
    const { step, most } = together(3)
    const { made } = tasks(
      ['a t1: snapshot', 'b t1: snapshot', 'c t2: snapshot', 'd t3: snapshot'],
      Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [`snapshot ${name}`, step])),
    )
    await run(made)
    expect(most()).toBe(3)
    const more = together(4)
    const again = tasks(
      ['a t1: restore', 'b t1: restore', 'c t2: restore', 'd t3: restore'],
      Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [`restore ${name}`, more.step])),
    )
    await run(again.made, { coresOf: (target) => (target === 't1' ? 2 : 1) })
    expect(more.most()).toBe(4)
  })

  test.each([1, 2])(
    'moves the snapshots of %i targets at a time, one after the other of each',
    async (maxTransfers) => {
      const { step, most } = together(maxTransfers)
      const { made } = tasks(
        ['a t1: fetch', 'b t1: fetch', 'c t2: fetch', 'd t3: fetch'],
        Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [`fetch ${name}`, step])),
      )
      await run(made, { maxTransfers, coresOf: () => 4 })
      expect(most()).toBe(maxTransfers)
    },
  )

  test('counts a step for the target that does it', async () => {
    const { step, most } = together(1)
    const { made } = tasks(['a t1: verify@t3', 'c t2: verify@t3'], { 'verify a': step, 'verify c': step })
    await run(made)
    await run(made, { order: 'depth-first', maxTransfers: 4 })
    expect(most()).toBe(1)
  })

  test('begins nothing if a secret cannot be resolved', async () => {
    const mapping = ALL.serviceMappings[0]!
    const secrets = new Map([['password', { text: [{ env: 'PASSWORD' }] }]])
    const need = { mapping, definition: { ...definitionOf(ALL, mapping), secrets }, secrets: NO_SECRETS }
    const { made, begun } = tasks(TWO)
    const [first] = made[0]!.steps
    const needing = [{ ...made[0]!, steps: [{ ...first!, needs: [need] }] }, made[1]!]
    await expect(run(needing)).rejects.toMatchObject({ code: 'secret-unresolved', exitStatus: 66 })
    expect(begun()).toEqual([])
  })

  test('reports each step by its place, with the bytes that travelled, or why it failed', async () => {
    const { made } = tasks(['a t1: fetch', 'c t2: fetch'], {
      'fetch a': async () => ({ kind: 'succeeded', bytes: 7 }),
      'fetch c': async () => ({ kind: 'failed', message: 'no', log: 'the end' }),
    })
    const { events } = await run(made)
    const [started, finished, , notFinished] = events
    const activity = { kind: 'fetch', service: 'a', container: 'box' }
    const event = { id: 'fetch t1 box a key-a', target: 't1', step: 'fetch a', activity }
    expect([started, finished]).toEqual([
      { kind: 'started', ...event },
      { kind: 'finished', ...event, bytes: 7 },
    ])
    expect(notFinished).toMatchObject({ kind: 'failed', target: 't2', message: 'no', log: 'the end' })
  })
})

describe('renderTasks()', () => {
  const lines = ['a t1: snapshot fetch', 'c t2: snapshot fetch']

  test.each([
    ['breadth-first', 'snapshot a on t1\nsnapshot c on t2\nfetch a on t1\nfetch c on t2\n'],
    ['depth-first', 'snapshot a on t1\nfetch a on t1\nsnapshot c on t2\nfetch c on t2\n'],
  ] as const)('lists steps in the order in which they are done: %s', async (order, text) => {
    expect(await renderTasks(tasks(lines).made, order)).toBe(text)
  })

  test('adds what is known besides', async () => {
    const [one] = tasks(['a t1: snapshot']).made
    const steps = [{ ...one!.steps[0]!, details: async () => ['1 MB', 'not yet'] }]
    expect(await renderTasks([{ ...one!, steps }], 'breadth-first')).toBe('snapshot a on t1 (1 MB; not yet)\n')
  })

  test('runs nothing', async () => {
    const { made, log } = tasks(lines)
    await renderTasks(made, 'breadth-first')
    expect(log).toEqual([])
  })
})

test('stateError() names what failed, why, and which services that are', () => {
  const [task, other] = tasks(['a t1: snapshot', 'c t2: fetch']).made
  const failures = [
    { task: task!, step: task!.steps[0]!, message: 'it ended with status 3', log: 'one\ntwo\n' },
    { task: task!, step: task!.steps[0]!, message: 'again', log: ' \n' },
    { task: other!, step: other!.steps[0]!, message: 'no route' },
  ]
  expect(stateError(failures, 'some state is not saved', 'try again')).toMatchObject({
    code: 'state-failed',
    message: 'some state is not saved',
    hint: 'try again',
    fields: { services: ['a', 'c'] },
    diagnostics: [
      { message: 'cannot snapshot a on t1: it ended with status 3\n    one\n    two' },
      { message: 'cannot snapshot a on t1: again' },
      { message: 'cannot fetch c on t2: no route' },
    ],
  })
})
