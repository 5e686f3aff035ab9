import { type Manifest, type Mapping, mappingIdOf, type ServiceMapping } from '@davit/documents'
import { type DamagedRecord, definitionOf } from '@davit/target'

import type { DeployedMapping } from './deployed.ts'

/**
 * What is known of a mapping whose record is damaged: by the record itself, or by one of the manifests that place it. Nothing
 * where neither says how to stop it.
 */
export function salvage(record: DamagedRecord, manifests: readonly Manifest[]): DeployedMapping | undefined {
  const { target, container, key, state, running, fields } = record
  const mapping: Mapping = { target, container, service: key }
  const definition = manifests.map((manifest) => definitionIn(manifest, mapping)).find((found) => found !== undefined)
  const service = definition?.service ?? fields.service
  if (service === undefined) return undefined
  return { mapping, service, state, running, doubt: 'damaged', definition }
}

/** Where to look, and what to do by hand. */
export function lostMessage({ directory, key, container, target, problem }: DamagedRecord): string {
  return `Skip '${key}' in '${container}' on target '${target}': nothing says how to stop it; its record '${directory}/record' is damaged: ${problem}; stop it by hand; then 'davit-env --abandon ${key}' gives it up`
}

export function strangeMessage(directory: string): string {
  return `Skip '${directory}', which is among the records and none of ours: remove it`
}

function definitionIn(manifest: Manifest, mapping: Mapping) {
  const id = mappingIdOf(mapping)
  const placed = manifest.serviceMappings.find((other: ServiceMapping) => mappingIdOf(other) === id)
  return placed === undefined || !manifest.services.has(placed.service) ? undefined : definitionOf(manifest, placed)
}
