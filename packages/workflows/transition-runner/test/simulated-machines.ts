import { setImmediate } from 'node:timers/promises'

import { DavitError } from '@davit/diagnostics'
import { type MappingId, mappingIdOf, type TargetName } from '@davit/documents'
import { intendedIn, isSettled, isUp, startsService, stopsService, type Verb, verbTraits } from '@davit/target-runtime'
import type { Activity, Doubt, ObservedMapping } from '@davit/transition'

import type { Perform, PerformOutcome } from '../src/transition-runner.ts'

/** How an activity ends: successfully, failed with or without its effect, or with the connection or the lock lost. */
export type Fate = 'succeeds' | 'fails-before' | 'fails-after' | 'connection-lost' | 'lock-lost'

export interface Circumstances {
  /** Endings of the activities, in the order in which these begin; all further ones succeed. */
  readonly fates?: readonly Fate[]
  /** Which of the activities that can proceed does so next. */
  readonly choices?: readonly number[]
  readonly coresOf: (lane: string) => number
}

interface Running {
  readonly steps: (() => void)[]
  readonly target: TargetName
}

/**
 * Simulated machines that keep records as the real ones do: intention, effect and outcome are separate steps. They check that
 * no law of activation is violated, and can crash after any step.
 */
export class SimulatedMachines {
  readonly records = new Map<MappingId, ObservedMapping>()
  /** Services that really run, whatever the records contain. */
  readonly up = new Set<MappingId>()
  readonly violations: string[] = []
  readonly started: Activity[] = []
  maxParallel = 0
  #circumstances: Circumstances
  #running = new Map<MappingId, Running>()
  #waiting: (() => void)[] = []
  #turns = 0

  constructor(initial: readonly ObservedMapping[], circumstances: Circumstances) {
    this.#circumstances = circumstances
    for (const one of initial) {
      this.records.set(mappingIdOf(one.mapping), one)
      this.up.add(mappingIdOf(one.mapping))
    }
  }

  readonly perform: Perform = async (activity) => {
    const id = mappingIdOf(activity.mapping)
    const fate = this.#circumstances.fates?.[this.started.length] ?? 'succeeds'
    this.#begin(activity, id)
    const steps = this.#stepsOf(activity, fate)
    this.#running.set(id, { steps, target: activity.mapping.target })
    this.maxParallel = Math.max(this.maxParallel, this.#running.size)
    while (steps.length > 0) {
      await this.#turn()
      steps.shift()?.()
    }
    this.#running.delete(id)
    await this.#turn()
    return outcomeOf(fate)
  }

  /** Lets one activity after the other proceed, until the run has ended or this many turns were taken. */
  async drive<Result>(
    run: Promise<Result>,
    atTurn: (turn: number) => 'go-on' | 'crash' = () => 'go-on',
  ): Promise<Result | 'crashed'> {
    const ended: { result?: Result } = {}
    const end = run.then((result) => {
      ended.result = result
    })
    for (;;) {
      await setImmediate()
      if (ended.result !== undefined) return ended.result
      if (atTurn(this.#turns) === 'crash') return 'crashed'
      if (this.#waiting.length > 0) this.#letOneGoOn()
      else await Promise.race([end, Promise.reject(new Error('the run waits for nothing'))])
    }
  }

  readonly coresOf = (lane: string): number => this.#circumstances.coresOf(lane)

  get turns(): number {
    return this.#turns
  }

  /** State after a crash: some running activities end without the coordinator, all others are cut off. */
  recover(circumstances: Circumstances, endsByItself: (id: MappingId) => boolean): void {
    for (const [id, { steps }] of this.#running) {
      if (endsByItself(id)) for (const step of steps) step()
    }
    this.#running = new Map()
    this.#waiting = []
    this.#turns = 0
    this.#circumstances = circumstances
    this.started.length = 0
  }

  /** The chosen services no longer run, and an observation shows that. */
  doubt(isChosen: (id: MappingId) => Doubt | undefined): void {
    for (const [id, record] of this.records) {
      const doubt = isChosen(id)
      if (doubt === undefined) continue
      this.records.set(id, { ...record, doubt })
      this.up.delete(id)
    }
  }

  activeIds(): string[] {
    return [...this.records].flatMap(([id, { state }]) => (isUp(state) ? [id] : [])).sort()
  }

  #letOneGoOn(): void {
    const { choices = [0] } = this.#circumstances
    const choice = choices[this.#turns % choices.length] ?? 0
    this.#turns += 1
    const [goOn] = this.#waiting.splice(choice % this.#waiting.length, 1)
    goOn?.()
  }

  #turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
    })
  }

  #stepsOf(activity: Activity, fate: Fate): (() => void)[] {
    const id = mappingIdOf(activity.mapping)
    const { mapping, service, kind } = activity
    const { during, after } = verbTraits(kind as Verb)
    const record = (state: string) => {
      this.records.set(id, { mapping, service, state: state as ObservedMapping['state'], running: false })
    }
    const intend = () => record(during)
    const effect = () => void (stopsService(kind) ? this.up.delete(id) : this.up.add(id))
    const done = () => (after === undefined ? void this.records.delete(id) : record(after))
    if (fate === 'succeeds') return [intend, effect, done]
    return fate === 'fails-before' ? [intend] : [intend, effect]
  }

  #begin(activity: Activity, id: MappingId): void {
    const { target } = activity.mapping
    const onTarget = [...this.#running.values()].filter((running) => running.target === target)
    const isBusy = onTarget.length >= this.#circumstances.coresOf(target)
    const violations = [
      ...(this.#running.has(id) ? ['another activity of it is running'] : []),
      ...(isBusy ? ['its target has no free core'] : []),
      ...(stopsService(activity.kind) ? this.#againstStop(id) : this.#againstStart(activity, id)),
    ]
    this.violations.push(...violations.map((violation) => `${activity.id}: ${violation}`))
    this.started.push(activity)
  }

  #againstStart({ service }: Activity, id: MappingId): readonly string[] {
    const { state = '' } = this.records.get(id) ?? {}
    const isMissing = service.dependsOn.some((other) => !isUp(this.records.get(mappingIdOf(other))?.state ?? ''))
    return [
      ...(isUp(state) || startsService(intendedIn(state) ?? '') ? ['it was started and not stopped since'] : []),
      ...(isMissing ? ['not all that it depends on is up'] : []),
    ]
  }

  #againstStop(id: MappingId): readonly string[] {
    // Its dependants have been without it already.
    if (this.records.get(id)?.doubt !== undefined) return []
    const dependants = [...this.records.values()].filter(
      ({ service, state }) =>
        !(isSettled(state) && !isUp(state)) && service.dependsOn.some((other) => mappingIdOf(other) === id),
    )
    return dependants.length > 0 ? ['not all that depend on it are gone'] : []
  }
}

function outcomeOf(fate: Fate): PerformOutcome {
  switch (fate) {
    case 'succeeds':
      return { kind: 'succeeded' }
    case 'connection-lost':
    case 'lock-lost':
      throw new DavitError(fate, `the ${fate}`)
    default:
      return { kind: 'failed', message: 'it failed', log: 'the end of its log' }
  }
}
