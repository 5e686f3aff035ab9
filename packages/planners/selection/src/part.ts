import type { Manifest, ManifestService, Mapping, ServiceKey, Target, TargetName } from '@davit/documents'
import { byName, compareText } from '@davit/languages'

import { instanceOf, referencesOf } from './instances.ts'
import { isSelected, type Selection, selectedTargets } from './select.ts'

export interface Change {
  readonly next: Manifest
  readonly current: Manifest
  readonly selection: Selection
}

export interface Part {
  /** What is selected as in next, and the rest as in the current manifest. */
  readonly manifest: Manifest
  /** Targets with something of both, whose profile has to be made. */
  readonly mixed: readonly TargetName[]
}

/** Puts next together with the current manifest, whether or not the result would work. */
export function partIn(change: Change): Part {
  const { next, current, selection } = change
  const infrastructure = targetsOf(change)
  const serviceMappings = merged(change, ({ serviceMappings: all }) => all)
  const mixed = [...selectedTargets(selection)].filter((name) => infrastructure.has(name) && !selection.whole.has(name))
  const profiles = new Map(
    [...infrastructure.keys()].flatMap((name) => {
      const path = (selection.whole.has(name) ? next : current).profiles.get(name)
      return path === undefined ? [] : [[name, path] as const]
    }),
  )
  const manifest = {
    profiles,
    services: servicesOf(change, serviceMappings),
    infrastructure,
    serviceMappings,
    snapshotMappings: merged(change, ({ snapshotMappings: all }) => all),
    store: next.store,
  }
  return { manifest, mixed }
}

/** The manifest from which a mapping of the part comes. */
export function originOf({ next, current, selection }: Change, mapping: Mapping): Manifest {
  const instance = instanceOf(next, mapping) ?? instanceOf(current, mapping)
  return instance !== undefined && isSelected(selection, instance) ? next : current
}

function targetsOf({ next, current, selection }: Change): Manifest['infrastructure'] {
  const names = [...new Set([...next.infrastructure.keys(), ...current.infrastructure.keys()])].toSorted(compareText)
  const touched = selectedTargets(selection)
  return new Map(
    names.flatMap((name): [TargetName, Target][] => {
      const [now, before] = [next.infrastructure.get(name), current.infrastructure.get(name)]
      const isNew = before === undefined && touched.has(name)
      const target = selection.whole.has(name) || isNew ? now : before
      return target === undefined ? [] : [[name, target]]
    }),
  )
}

/** Mappings by name of their service, and for each service in the order of next. */
function merged<One extends Mapping>(change: Change, mappingsOf: (manifest: Manifest) => readonly One[]): One[] {
  const { next, current, selection } = change
  const selected = named(next, mappingsOf(next))
  const former = named(current, mappingsOf(current))
  const order = new Map([...former, ...selected].map(({ place }, index) => [place, index]))
  const kept = former.filter(({ instance }) => !isSelected(selection, instance))
  const taken = selected.filter(({ instance }) => isSelected(selection, instance))
  return [...kept, ...taken]
    .toSorted((one, other) => {
      const byService = compareText(one.instance.service, other.instance.service)
      return byService || (order.get(one.place) ?? 0) - (order.get(other.place) ?? 0)
    })
    .map(({ mapping }) => mapping)
}

function named<One extends Mapping>(manifest: Manifest, mappings: readonly One[]) {
  return mappings.flatMap((mapping) => {
    const instance = instanceOf(manifest, mapping)
    if (instance === undefined) return []
    return [{ mapping, instance, place: `${instance.service} ${mapping.target} ${mapping.container}` }]
  })
}

/** The services of the mappings, and those without mappings that refer to nothing else. */
function servicesOf(change: Change, mappings: readonly Mapping[]): Map<ServiceKey, ManifestService> {
  const services = new Map<ServiceKey, ManifestService>()
  for (const mapping of mappings) {
    const service = originOf(change, mapping).services.get(mapping.service)
    if (service !== undefined) services.set(mapping.service, service)
  }
  const idle = [...unplacedIn(change.current), ...unplacedIn(change.next)].filter(([key]) => !services.has(key))
  for (const [key, service] of withReferences(idle, services)) services.set(key, service)
  return new Map([...services].toSorted(byName))
}

function unplacedIn({ services, serviceMappings }: Manifest): readonly [ServiceKey, ManifestService][] {
  const placed = new Set(serviceMappings.map(({ service }) => service))
  return [...services].filter(([key]) => !placed.has(key))
}

/** Leaves out services, until all that the others refer to is there. */
function withReferences(
  idle: readonly (readonly [ServiceKey, ManifestService])[],
  placed: ReadonlyMap<ServiceKey, ManifestService>,
): readonly (readonly [ServiceKey, ManifestService])[] {
  const present = new Set([...placed.keys(), ...idle.map(([key]) => key)])
  const kept = idle.filter(([, service]) => referencesOf(service).every(({ service: key }) => present.has(key)))
  return kept.length === idle.length ? kept : withReferences(kept, placed)
}
