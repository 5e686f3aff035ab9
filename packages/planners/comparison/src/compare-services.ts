import type { Manifest, ManifestService, Mapping, ServiceKey, ServiceMapping } from '@davit/documents'
import { compareText, grouped } from '@davit/languages'

import type { NamedPlace, Place, ServiceChange, ServiceDifference } from './difference.ts'
import { fieldChanges } from './field-changes.ts'
import { nameOfService, placeOf, textOfPlace } from './places.ts'
import { fromTo, missingIn, namesOfBoth, sideBySide } from './tables.ts'

export interface ComparisonOptions {
  /** Names of the services to compare; all by default. */
  readonly among?: ReadonlySet<string>
}

/** Compares the services of two manifests, which are paired by their names. */
export function compareServices(
  before: Manifest,
  after: Manifest,
  { among }: ComparisonOptions = {},
): readonly ServiceDifference[] {
  const isCompared = (name: string) => among?.has(name) ?? true
  const [old, now] = [versionsIn(before, isCompared), versionsIn(after, isCompared)]
  return namesOfBoth(old, now).flatMap((service) =>
    paired(old.get(service) ?? [], now.get(service) ?? []).flatMap(([from, to]) => differenceOf(service, from, to)),
  )
}

/** A service of a manifest, with its places there. */
interface Version {
  readonly manifest: Manifest
  readonly key: ServiceKey
  readonly service: ManifestService
  readonly mappings: readonly ServiceMapping[]
}

/** Services by name. Documents of other tools may have several of the same name. */
function versionsIn(
  manifest: Manifest,
  isCompared: (name: string) => boolean,
): ReadonlyMap<string, readonly Version[]> {
  const versions = new Map<ServiceKey, Version & { readonly mappings: ServiceMapping[] }>()
  for (const [key, service] of manifest.services)
    if (isCompared(service.name)) versions.set(key, { manifest, key, service, mappings: [] })
  for (const mapping of manifest.serviceMappings) versions.get(mapping.service)?.mappings.push(mapping)
  return grouped(versions.values(), ({ service }) => service.name)
}

type Pair = readonly [Version | undefined, Version | undefined]

/** Pairs versions of the same name: first those with the same key, then the others, in order of their keys. */
function paired(before: readonly Version[], after: readonly Version[]): readonly Pair[] {
  const byKey = (versions: readonly Version[]) => new Map(versions.map((version) => [version.key as string, version]))
  const [old, now] = [byKey(before), byKey(after)]
  const same = before.flatMap((version): readonly Pair[] => {
    const other = now.get(version.key)
    return other === undefined ? [] : [[version, other]]
  })
  return [...same, ...sideBySide(missingIn(now, old), missingIn(old, now))]
}

function differenceOf(
  service: string,
  before: Version | undefined,
  after: Version | undefined,
): readonly ServiceDifference[] {
  if (before === undefined) return after === undefined ? [] : [{ kind: 'added', service, places: placesOf(after) }]
  if (after === undefined) return [{ kind: 'removed', service, places: placesOf(before) }]
  const changes = changesBetween(before, after)
  return changes.length === 0 ? [] : [{ kind: 'changed', service, changes }]
}

function changesBetween(before: Version, after: Version): readonly ServiceChange[] {
  const [old, now] = [before.service, after.service]
  const changes: readonly ServiceChange[] = [
    ...(old.pkg === now.pkg ? [] : [{ kind: 'package' as const, from: old.pkg, to: now.pkg }]),
    ...(old.type === now.type ? [] : [{ kind: 'type' as const, from: old.type, to: now.type }]),
    ...dependencyChanges('depends-on', [before, old.dependsOn], [after, now.dependsOn]),
    ...dependencyChanges('connects-to', [before, old.connectsTo], [after, now.connectsTo]),
    ...provisionChanges(old, now),
    ...placeChanges(before, after),
  ]
  if (changes.length > 0 || before.key === after.key) return changes
  return [{ kind: 'key', from: before.key, to: after.key }]
}

type Dependencies = readonly [version: Version, dependencies: readonly Mapping[]]

function dependencyChanges(
  kind: 'depends-on' | 'connects-to',
  [before, left]: Dependencies,
  [after, right]: Dependencies,
): readonly ServiceChange[] {
  if (areSame([before, left], [after, right])) return []
  const [old, now] = [named(before.manifest, left), named(after.manifest, right)]
  const removed = missingIn(now, old).map(({ placed }) => placed)
  const added = missingIn(old, now).map(({ placed }) => placed)
  const replaced = [...old.values()].filter(({ placed, key }) => {
    const other = now.get(textOfPlace(placed))
    return other !== undefined && other.key !== key
  })
  const services = [...new Set(replaced.map(({ placed }) => placed.service))].sort(compareText)
  return [
    ...(added.length + removed.length === 0 ? [] : [{ kind, added, removed }]),
    ...(services.length === 0 ? [] : [{ kind: `${kind}-changed` as const, services }]),
  ]
}

/** Whether lists say the same of services that have the same names in both manifests, which is usual and quickly seen. */
function areSame([before, left]: Dependencies, [after, right]: Dependencies): boolean {
  return (
    left.length === right.length &&
    left.every(({ service, target, container }, at) => {
      const other = right[at]
      return (
        service === other?.service &&
        target === other.target &&
        container === other.container &&
        nameOfService(before.manifest, service) === nameOfService(after.manifest, service)
      )
    })
  )
}

interface NamedMapping {
  readonly placed: NamedPlace
  readonly key: ServiceKey
}

function named(manifest: Manifest, mappings: readonly Mapping[]): ReadonlyMap<string, NamedMapping> {
  return new Map(
    mappings.map((mapping) => {
      const placed = { service: nameOfService(manifest, mapping.service), ...placeOf(mapping) }
      return [textOfPlace(placed), { placed, key: mapping.service }]
    }),
  )
}

function provisionChanges(before: ManifestService, after: ManifestService): readonly ServiceChange[] {
  const fields = fieldChanges(before.providesContainers, after.providesContainers)
  return fields.length === 0 ? [] : [{ kind: 'provides', fields }]
}

/** A place that is gone and one that is new are a move; they are paired in order of their names. */
function placeChanges(before: Version, after: Version): readonly ServiceChange[] {
  const [old, now] = [instancesOf(before), instancesOf(after)]
  const moves = sideBySide(missingIn(now, old), missingIn(old, now))
  return [
    ...moves.flatMap(([gone, come]) => movesBetween(gone?.place, come?.place)),
    ...[...old].flatMap(([name, { place, provider: from }]) => {
      const instance = now.get(name)
      if (instance === undefined || instance.provider === from) return []
      return [{ kind: 'provider' as const, place, ...fromTo(from, instance.provider) }]
    }),
  ]
}

function movesBetween(from: Place | undefined, to: Place | undefined): readonly ServiceChange[] {
  if (from !== undefined && to !== undefined) return [{ kind: 'moved', from, to }]
  if (from !== undefined) return [{ kind: 'place-removed', place: from }]
  return to === undefined ? [] : [{ kind: 'place-added', place: to }]
}

interface Instance {
  readonly place: Place
  /** Name of the service that provides the container. */
  readonly provider: string | undefined
}

function instancesOf({ manifest, mappings }: Version): ReadonlyMap<string, Instance> {
  const entries = mappings.map((mapping) => {
    const { target, container, containerProvidedByService: key } = mapping
    const provider = key === undefined ? undefined : nameOfService(manifest, key)
    return [`${target} ${container}`, { place: placeOf(mapping), provider }] as const
  })
  return new Map(entries.toSorted(([left], [right]) => compareText(left, right)))
}

function placesOf(version: Version): readonly Place[] {
  return [...instancesOf(version).values()].map(({ place }) => place)
}
