import type { Manifest } from '@davit/documents'
import { type Activity, coresOf, observedOf, planTransition, KINDS } from '@davit/transition'
import { manifestOf } from '@davit/transition/testing'
import { expect, test } from 'vitest'

import { type PerformOutcome, runTransition } from '../src/transition-runner.ts'

const NAMES = ['a', 'b', 'c', 'd']
const nothing = manifestOf({ services: {} })
const systems = { nothing, old: diamond(1), new: diamond(2) }

function diamond(version: number): Manifest {
  const services = {
    a: { on: ['t/p'], version },
    b: { on: ['t/p'], dependsOn: ['a'], version },
    c: { on: ['u/p'], dependsOn: ['a'], version },
    d: { on: ['u/p'], dependsOn: ['b', 'c'], version },
  }
  return manifestOf({ services, cores: { t: 2, u: 2 } })
}

const FORWARD = {
  installation: NAMES.map((name) => `activate new ${name}`),
  upgrade: NAMES.flatMap((name) => [`deactivate old ${name}`, `activate new ${name}`]),
  undeployment: NAMES.map((name) => `deactivate old ${name}`),
}
const inverse = (label: string) =>
  label.replace(/^(de)?activate/, (kind) => (kind === 'activate' ? 'deactivate' : 'activate'))

test.each([
  ['installation', systems.nothing, systems.new],
  ['upgrade', systems.old, systems.new],
  ['undeployment', systems.old, systems.nothing],
] as const)(
  'an %s of a diamond tells the truth whichever three activities fail, of it or its rollback',
  async (kind, before, next) => {
    const labels = [...FORWARD[kind], ...FORWARD[kind].map(inverse)]
    const reached = new Set<string>()
    for (const failing of atMostThreeOf(labels)) {
      const result = await deploy(before, next, failing)
      reached.add(result.kind)
      expect({ failing, ...result }).toEqual({ failing, ...result, ...truthOf(result, before, next) })
    }
    expect([...reached].toSorted()).toEqual(OUTCOMES[kind])
  },
)

const OUTCOMES = {
  installation: ['completed', 'new-services-left', 'rolled-back'],
  upgrade: ['completed', 'new-services-left', 'old-services-lost', 'rolled-back'],
  undeployment: ['completed', 'old-services-lost', 'rolled-back'],
}

interface Result {
  readonly kind: string
  /** Services, such as `new a`, that are up or `half` there. */
  readonly state: ReadonlyMap<string, 'up' | 'half'>
  /** Activities that began and failed, in order. */
  readonly failed: readonly string[]
  /** The same activities, as reported. */
  readonly told: readonly string[]
  readonly violations: readonly string[]
}

/** Outcome that the final state shows. */
function truthOf({ state, failed }: Result, before: Manifest, next: Manifest): Partial<Result> {
  const whole = (age: string, { services }: Manifest) => [...services.values()].map(({ name }) => `${age} ${name}`)
  const isAll = (wanted: readonly string[]) =>
    state.size === wanted.length && wanted.every((name) => state.get(name) === 'up')
  const kind = () => {
    if (failed.length === 0) return isAll(whole('new', next)) ? 'completed' : 'untrue'
    if (isAll(whole('old', before))) return 'rolled-back'
    return [...state.keys()].some((name) => name.startsWith('new')) ? 'new-services-left' : 'old-services-lost'
  }
  return { kind: kind(), told: failed, violations: [] }
}

/** Carries out a transition, in which activities that fail leave their services half there. */
async function deploy(before: Manifest, next: Manifest, failing: readonly string[]): Promise<Result> {
  const state = new Map<string, 'up' | 'half'>([...before.services.values()].map(({ name }) => [`old ${name}`, 'up']))
  const failed: string[] = []
  const violations: string[] = []
  const label = ({ kind, mapping, service }: Activity) =>
    `${kind} ${next.services.has(mapping.service) ? 'new' : 'old'} ${service.name}`
  const perform = async (activity: Activity): Promise<PerformOutcome> => {
    const what = label(activity)
    const [, age = '', name = ''] = what.split(' ')
    const place = `${age} ${name}`
    if (activity.kind === 'activate' && !isReady(state, age, name)) violations.push(what)
    await Promise.resolve()
    if (failing.includes(what)) {
      failed.push(what)
      state.set(place, 'half')
      return { kind: 'failed', message: 'it failed' }
    }
    if (activity.kind === 'activate') state.set(place, 'up')
    else state.delete(place)
    return { kind: 'succeeded' }
  }
  const transition = planTransition(next, observedOf(before, before.infrastructure), { upgrade: 'upgrade' })
  const outcome = await runTransition(transition, {
    kinds: KINDS,
    perform,
    coresOf: coresOf(before === nothing ? next.infrastructure : before.infrastructure),
    report: () => {},
    signal: new AbortController().signal,
    rollback: 'rollback',
  })
  const failures = outcome.kind === 'completed' ? [] : outcome.failures
  const more = 'rollbackFailures' in outcome ? outcome.rollbackFailures : []
  return {
    kind: outcome.kind,
    state,
    failed,
    told: [...failures, ...more].map(({ activity }) => label(activity)),
    violations,
  }
}

/** Checks that no service starts without its dependencies, or while the one that it replaces still runs. */
function isReady(state: ReadonlyMap<string, string>, age: string, name: string): boolean {
  const needs: Readonly<Record<string, readonly string[]>> = { b: ['a'], c: ['a'], d: ['b', 'c'] }
  const other = age === 'new' ? 'old' : 'new'
  return (
    (needs[name] ?? []).every((one) => state.get(`${age} ${one}`) === 'up') &&
    NAMES.every((one) => !state.has(`${other} ${one}`))
  )
}

function atMostThreeOf(labels: readonly string[]): readonly (readonly string[])[] {
  const more = (chosen: readonly string[], from: number): readonly (readonly string[])[] =>
    chosen.length === 3
      ? [chosen]
      : [chosen, ...labels.slice(from).flatMap((label, index) => more([...chosen, label], from + index + 1))]
  return more([], 0)
}
