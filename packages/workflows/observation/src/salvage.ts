import type { Message } from '@davit/diagnostics'
import { type Manifest, type Mapping, mappingIdOf, type ServiceMapping } from '@davit/documents'
import { type DamagedRecord, definitionOf } from '@davit/target'

import type { DeployedMapping } from './deployed.ts'
import { say } from './messages.ts'

/**
 * Reconstructs a mapping whose record is damaged, from the record itself or from a manifest that contains it. Undefined if
 * neither tells how to stop it.
 */
export function salvage(record: DamagedRecord, manifests: readonly Manifest[]): DeployedMapping | undefined {
  const { target, container, key, state, running, fields } = record
  const mapping: Mapping = { target, container, service: key }
  const definition = manifests.map((manifest) => definitionIn(manifest, mapping)).find((found) => found !== undefined)
  const service = definition?.service ?? fields.service
  if (service === undefined) return undefined
  return { mapping, service, state, running, doubt: 'damaged', definition }
}

/** Warning about a record from which the mapping cannot be reconstructed. */
export function unusableMessage({ directory, key, container, target, problem }: DamagedRecord): Message {
  return say('record-unusable', { target, container, key, record: `${directory}/record`, problem })
}

function definitionIn(manifest: Manifest, mapping: Mapping) {
  const id = mappingIdOf(mapping)
  const placed = manifest.serviceMappings.find((other: ServiceMapping) => mappingIdOf(other) === id)
  return placed === undefined || !manifest.services.has(placed.service) ? undefined : definitionOf(manifest, placed)
}
