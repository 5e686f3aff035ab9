import {
  type Manifest,
  type Mapping,
  mappingIdOf,
  type ProfileName,
  type ServiceName,
  type TargetName,
} from '@davit/documents'
import { type ActivityDefinition, definitionOf, type Observation } from '@davit/target'

import type { LogSource } from './log-line.ts'

/** Which mappings are looked for. */
export interface MappingTerms {
  readonly profile: ProfileName
  /** What is deployed, if a manifest tells: names services of which there is no record. */
  readonly expected: Manifest | undefined
  readonly services: ReadonlySet<string>
  /** Undefined for all. */
  readonly containers: ReadonlySet<string> | undefined
}

/** A mapping of a service that is looked for. */
export interface WantedMapping {
  readonly source: LogSource
  readonly mapping: Mapping
  /** Undefined if its record is damaged. */
  readonly definition: ActivityDefinition | undefined
  /** Whether it has a record, of a module that has the activity `logs`. */
  readonly hasLogs: boolean
  readonly isRecorded: boolean
}

/** Each mapping once: what its record says counts, before the manifest. */
export function wantedMappings(
  observation: Observation,
  targets: readonly TargetName[],
  { services, containers, expected }: MappingTerms,
): readonly WantedMapping[] {
  const all = [...(expected === undefined ? [] : mappingsIn(expected)), ...recordsIn(observation)]
  const wanted = all.filter(
    ({ source }) =>
      targets.includes(source.target) &&
      services.has(source.service) &&
      (containers === undefined || containers.has(source.container)),
  )
  return [...new Map(wanted.map((one) => [mappingIdOf(one.mapping), one])).values()]
}

function mappingsIn(manifest: Manifest): readonly WantedMapping[] {
  return manifest.serviceMappings.map((mapping) => {
    const definition = definitionOf(manifest, mapping)
    const source = sourceOf(mapping, definition.service.name)
    return { source, mapping, definition, hasLogs: false, isRecorded: false }
  })
}

function recordsIn({ records, damaged }: Observation): readonly WantedMapping[] {
  return [
    ...damaged.map(({ target, container, key, fields }) => {
      const mapping = { target, container, service: key }
      const source = sourceOf(mapping, fields.service?.name)
      return { source, mapping, definition: undefined, hasLogs: false, isRecorded: true }
    }),
    ...records.map(({ mapping, service, definition, declared = [] }) => ({
      source: sourceOf(mapping, service.name),
      mapping,
      definition,
      hasLogs: declared.includes('logs'),
      isRecorded: true,
    })),
  ]
}

function sourceOf({ target, container }: Mapping, name: ServiceName | undefined): LogSource {
  return { target, container, service: name ?? ('' as ServiceName) }
}
