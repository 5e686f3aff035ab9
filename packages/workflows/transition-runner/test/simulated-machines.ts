import { setImmediate } from 'node:timers/promises'

import { DavitError } from '@davit/diagnostics'
import { type MappingId, mappingIdOf, type TargetName } from '@davit/documents'
import type { Activity, Doubt, ObservedMapping } from '@davit/transition'

import type { Perform, PerformOutcome } from '../src/transition-runner.ts'

/** How an activity ends: well, with its effect missing or there, or with the connection or the lock gone. */
export type Fate = 'succeeds' | 'fails-before' | 'fails-after' | 'connection-lost' | 'lock-lost'

export interface Circumstances {
  /** For each activity in the order in which they are begun; the rest succeeds. */
  readonly fates?: readonly Fate[]
  /** Which of those that could go on does so next. */
  readonly choices?: readonly number[]
  readonly coresOf: (lane: string) => number
}

interface Running {
  readonly steps: (() => void)[]
  readonly target: TargetName
}

/**
 * Machines that keep records as the real ones do: intended, effect, done, each a step of its own. They check on their
 * own that no law of activation is violated, and can be stopped dead behind any step.
 */
export class SimulatedMachines {
  readonly records = new Map<MappingId, ObservedMapping>()
  /** What is really up, whatever the records say. */
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

  /** Lets one after the other go on until the run has ended, or so many turns were taken. */
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

  /** After a crash: of what was running some ends without the coordinator, everything else is cut off. */
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

  /** What is chosen is not up any more, and whoever observes it knows. */
  doubt(isChosen: (id: MappingId) => Doubt | undefined): void {
    for (const [id, record] of this.records) {
      const doubt = isChosen(id)
      if (doubt === undefined) continue
      this.records.set(id, { ...record, doubt })
      this.up.delete(id)
    }
  }

  activeIds(): string[] {
    return [...this.records].flatMap(([id, { state }]) => (state === 'active' ? [id] : [])).sort()
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
    const record = (state: ObservedMapping['state']) =>
      this.records.set(id, { mapping, service, state, running: false })
    const intend = () => void record(kind === 'activate' ? 'activating' : 'deactivating')
    const effect = () => void (kind === 'activate' ? this.up.add(id) : this.up.delete(id))
    const done = () => void (kind === 'activate' ? record('active') : this.records.delete(id))
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
      ...(activity.kind === 'activate' ? this.#againstActivation(activity, id) : this.#againstDeactivation(id)),
    ]
    this.violations.push(...violations.map((violation) => `${activity.id}: ${violation}`))
    this.started.push(activity)
  }

  #againstActivation({ service }: Activity, id: MappingId): readonly string[] {
    const state = this.records.get(id)?.state
    const isMissing = service.dependsOn.some((other) => this.records.get(mappingIdOf(other))?.state !== 'active')
    return [
      ...(state === 'active' || state === 'activating' ? ['it was activated and not deactivated since'] : []),
      ...(isMissing ? ['not all that it depends on is up'] : []),
    ]
  }

  #againstDeactivation(id: MappingId): readonly string[] {
    // Those that depend on it have been without it already.
    if (this.records.get(id)?.doubt !== undefined) return []
    const dependants = [...this.records.values()].filter(({ service }) =>
      service.dependsOn.some((other) => mappingIdOf(other) === id),
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
