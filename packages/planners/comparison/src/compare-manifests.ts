import type { Manifest, PropertyValue, Target } from '@davit/documents'
import { compareText } from '@davit/languages'

import { compareServices } from './compare-services.ts'
import type { ManifestDifference, ProfileDifference, SnapshotDifference, TargetDifference } from './difference.ts'
import { fieldChanges, isSameValue } from './field-changes.ts'
import { nameOfService, placeOf, textOfPlace } from './places.ts'
import { fromTo, missingIn, namesOfBoth } from './tables.ts'

/** Compares two manifests. The order of their lists does not count, nor does the document format that they come from. */
export function compareManifests(before: Manifest, after: Manifest): ManifestDifference {
  const { store: from } = before
  const { store: to } = after
  const isSameStore = from.kind === to.kind && from.directory === to.directory
  return {
    services: compareServices(before, after),
    targets: compareTargets(before, after),
    profiles: compareProfiles(before, after),
    snapshots: compareSnapshots(before, after),
    ...(isSameStore ? {} : { store: { from, to } }),
  }
}

function compareTargets(before: Manifest, after: Manifest): readonly TargetDifference[] {
  return namesOfBoth(before.infrastructure, after.infrastructure).flatMap((target): readonly TargetDifference[] => {
    const [from, to] = [before.infrastructure.get(target), after.infrastructure.get(target)]
    if (from === undefined) return [{ kind: 'added', target }]
    if (to === undefined) return [{ kind: 'removed', target }]
    const fields = fieldChanges(tableOf(from), tableOf(to))
    return fields.length === 0 ? [] : [{ kind: 'changed', target, fields }]
  })
}

function tableOf(target: Target): ReadonlyMap<string, PropertyValue> {
  return new Map<string, PropertyValue>(Object.entries(target))
}

function compareProfiles({ profiles: before }: Manifest, { profiles: after }: Manifest): readonly ProfileDifference[] {
  return namesOfBoth(before, after).flatMap((target) => {
    const [from, to] = [before.get(target), after.get(target)]
    if (isSameValue(from, to)) return []
    return [{ target, ...fromTo(from, to) }]
  })
}

function compareSnapshots(before: Manifest, after: Manifest): readonly SnapshotDifference[] {
  const [old, now] = [snapshotsOf(before), snapshotsOf(after)]
  const removed = missingIn(now, old).map((one) => ({ kind: 'removed' as const, ...one }))
  const added = missingIn(old, now).map((one) => ({ kind: 'added' as const, ...one }))
  return [...removed, ...added].sort((left, right) => compareText(left.service, right.service))
}

/** State that moves, by its identity: the version of a service does not matter. */
function snapshotsOf(manifest: Manifest): ReadonlyMap<string, Omit<SnapshotDifference, 'kind'>> {
  return new Map(
    manifest.snapshotMappings.map((mapping) => {
      const placed = { service: nameOfService(manifest, mapping.service), ...placeOf(mapping) }
      const { component } = mapping
      return [`${textOfPlace(placed)} ${component}`, { ...placed, component }]
    }),
  )
}
