import type { Message } from '@davit/diagnostics'
import { type Manifest, type MappingId, mappingIdOf, type ServiceMapping, type TargetName } from '@davit/documents'
import { compareText } from '@davit/languages'

import { say } from './messages.ts'
import { observedOf } from './observed-of.ts'
import type { ObservedMapping } from './observed-mapping.ts'
import { type PlacedService, placedServices, type Placements } from './placed-service.ts'

/**
 * Returns the mappings that a plan assumes where nothing was observed, or nothing may be touched: exactly those that next wants there, so
 * that nothing is begun there and dependants are in order. `inconsistenciesOf` reports where this may be wrong on unreachable targets.
 */
export function assumedIn(next: Manifest, isAssumed: (placed: PlacedService) => boolean): readonly ObservedMapping[] {
  return observedOf(next, next.infrastructure).filter(isAssumed)
}

export interface Inconsistency {
  /**
   * For a service on a skipped target: it is missing, it was not stopped, or it keeps running with a stopped dependency. For a
   * service on another target: its dependency on a skipped target is missing.
   */
  readonly kind: 'missing' | 'left-active' | 'dependency-stopped' | 'dependency-missing'
  readonly mapping: ServiceMapping
  readonly message: Message
}

export interface InconsistencyOptions {
  /** Manifest of the last generation: all that is known of those targets; without it, they count as empty. */
  readonly previous: Manifest | undefined
}

/** Returns what will still differ from next after the transition. */
export function inconsistenciesOf(
  next: Manifest,
  unreachable: ReadonlySet<TargetName>,
  { previous }: InconsistencyOptions,
): readonly Inconsistency[] {
  const wanted = placedServices(next)
  const there = select(previous === undefined ? new Map() : placedServices(previous), unreachable)
  const missing = without(select(wanted, unreachable), there)
  const left = without(there, wanted)
  const others = [...wanted.values()].filter(({ mapping }) => !unreachable.has(mapping.target))
  return [
    ...[...missing.values()].map((placed) => problem('missing', placed, notActivated(placed, there))),
    ...[...left.values()]
      .filter((placed) => !hasVersion(missing, placed))
      .map((placed) => problem('left-active', placed, leftActive(placed, others))),
    ...others.flatMap((placed) => onMissing(placed, missing)),
    ...[...left.values()].flatMap((placed) => onStopped(placed, wanted, unreachable)),
  ]
}

function select(placements: Placements, targets: ReadonlySet<TargetName>): Placements {
  return new Map([...placements].filter(([, { mapping }]) => targets.has(mapping.target)))
}

function without(placements: Placements, others: Placements): Placements {
  return new Map([...placements].filter(([id]) => !others.has(id)))
}

function problem(kind: Inconsistency['kind'], { mapping }: PlacedService, message: Message): Inconsistency {
  return { kind, mapping, message }
}

function notActivated(placed: PlacedService, there: Placements): Message {
  return say(hasVersion(there, placed) ? 'not-upgraded' : 'not-activated', namesOf(placed))
}

/** Tells whether the placements contain a version of the service on the same target. */
function hasVersion(placements: Placements, { service: { name }, mapping: { target } }: PlacedService): boolean {
  return [...placements.values()].some(({ service, mapping }) => service.name === name && mapping.target === target)
}

function leftActive(placed: PlacedService, others: readonly PlacedService[]): Message {
  const places = others.filter(({ service }) => service.name === placed.service.name)
  const targets = [...new Set(places.map(({ mapping }) => mapping.target))].toSorted(compareText)
  return say('left-active', { ...namesOf(placed), others: targets })
}

function onMissing(placed: PlacedService, missing: Placements): readonly Inconsistency[] {
  return dependenciesOf(placed).flatMap((id) => {
    const dependency = missing.get(id)
    if (dependency === undefined) return []
    const { service, target: dependencyTarget } = namesOf(dependency)
    const names = { ...namesOf(placed), dependency: service, dependencyTarget }
    return [problem('dependency-missing', placed, say('dependency-missing', names))]
  })
}

/** Finds stopped dependencies of a service that stays active; those on unreachable targets are unchanged. */
function onStopped(
  placed: PlacedService,
  wanted: Placements,
  unreachable: ReadonlySet<TargetName>,
): readonly Inconsistency[] {
  const { dependsOn, connectsTo } = placed.service
  return [...dependsOn, ...connectsTo]
    .filter((dependency) => !unreachable.has(dependency.target) && !wanted.has(mappingIdOf(dependency)))
    .map(({ target: dependencyTarget }) => {
      const message = say('dependency-stopped', { ...namesOf(placed), dependencyTarget })
      return problem('dependency-stopped', placed, message)
    })
}

function dependenciesOf({ service: { dependsOn, connectsTo } }: PlacedService): readonly MappingId[] {
  return [...new Set([...dependsOn, ...connectsTo].map(mappingIdOf))]
}

function namesOf({ service, mapping }: PlacedService) {
  return { service: service.name, target: mapping.target }
}
