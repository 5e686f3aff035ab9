import { type Mapping, mappingIdOf, type ServiceKey, type ServiceName } from '@davit/documents'
import { compareText } from '@davit/languages'

import { type PlacedService } from './placed-service.ts'
import { placeOf, type Reason } from './reason.ts'

export type NameOf = (key: ServiceKey) => ServiceName | undefined

/** Returns how a mapping differs from the one that replaces it; never empty. */
export function changesBetween(before: PlacedService, after: PlacedService, nameOf: NameOf): readonly Reason[] {
  const reasons: Reason[] = []
  const { service: old } = before
  const { service } = after
  if (old.pkg !== service.pkg) reasons.push({ kind: 'changed-package', from: old.pkg, to: service.pkg })
  if (old.type !== service.type) reasons.push({ kind: 'changed-type', from: old.type, to: service.type })
  const dependencies = changedMappings(old.dependsOn, service.dependsOn, nameOf)
  if (dependencies.length > 0) reasons.push({ kind: 'changed-dependency', dependencies })
  if (isMoved(before, after)) {
    reasons.push({ kind: 'moved', from: placeOf(before), to: placeOf(after) })
  }
  return reasons.length === 0 ? [{ kind: 'changed-key' }] : reasons
}

/** A change of type usually changes the container too: that alone is not a move. */
function isMoved(before: PlacedService, after: PlacedService): boolean {
  const [from, to] = [placeOf(before), placeOf(after)]
  return from.target !== to.target || (from.container !== to.container && before.service.type === after.service.type)
}

/** Returns the names of services that only one of the lists has, or their keys if no name is known. */
export function changedMappings(
  before: readonly Mapping[],
  after: readonly Mapping[],
  nameOf: NameOf,
): readonly string[] {
  if (areSame(before, after)) return []
  const come = missingIn(after, before)
  const go = missingIn(before, after)
  const named = [...come, ...go].flatMap((key) => nameOf(key) ?? [])
  return [...new Set<string>(named.length === 0 ? [...come, ...go] : named)].sort(compareText)
}

/** Whether lists say the same in the same order, which is usual and quickly seen. */
function areSame(before: readonly Mapping[], after: readonly Mapping[]): boolean {
  return (
    before.length === after.length &&
    before.every(({ service, target, container }, at) => {
      const other = after[at]
      return service === other?.service && target === other.target && container === other.container
    })
  )
}

function missingIn(mappings: readonly Mapping[], others: readonly Mapping[]): readonly ServiceKey[] {
  const known = new Set(others.map(mappingIdOf))
  return mappings.filter((mapping) => !known.has(mappingIdOf(mapping))).map(({ service }) => service)
}
