import { encodeDocument, parseDocument, ProfileManifest, type ServiceMapping } from '@davit/documents'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import { decodeField, encodeField } from '@davit/target-runtime'

import type { ActivityDefinition } from './activity.ts'

const RECORD_FORMAT = '1'

/** Fields and words of a mapping's record (see `target-runtime/runtime/activity.sh`). */
export function recordFields(mapping: ServiceMapping, definition: ActivityDefinition): readonly string[] {
  const { service, module, properties } = definition
  const entry: ProfileManifest = {
    services: new Map([[mapping.service, service]]),
    serviceMappings: [mapping],
    snapshotMappings: [],
  }
  const fields: [string, string][] = [
    ['format', RECORD_FORMAT],
    ['module', module],
    ['pkg', service.pkg],
    ['container', mapping.container],
    ['name', service.name],
    ['service', mapping.service],
    ['entry', encodeDocument(ProfileManifest, entry, 'json')],
    ...[...properties].map(([name, value]): [string, string] => [`property.${name}`, value]),
  ]
  return fields.flatMap(([field, text]) => [field, encodeField(text)])
}

export interface ParsedRecord {
  readonly mapping: ServiceMapping
  readonly definition: ActivityDefinition
  readonly bootId: string
}

/** What a target's record says. Anybody may have written there: it is read like any other document. */
export function parseRecord(lines: readonly string[], { place }: { readonly place: string }): ParsedRecord {
  const fields = new Map(
    lines.map((line): [string, string] => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]),
  )
  const textOf = (field: string) => decodeField(fields.get(field) ?? '')
  if (textOf('format') !== RECORD_FORMAT) throw unreadableRecord(place, `its format is '${textOf('format')}'`)
  const entry = parseDocument(ProfileManifest, textOf('entry'), { file: `the record ${place}` })
  const [mapping] = entry.serviceMappings
  const service = mapping === undefined ? undefined : entry.services.get(mapping.service)
  if (mapping === undefined || service === undefined) throw unreadableRecord(place, 'it holds no service')
  const properties = new Map(
    [...fields].flatMap(([field, word]): [string, string][] =>
      field.startsWith('property.') ? [[field.slice('property.'.length), decodeField(word)]] : [],
    ),
  )
  return {
    mapping,
    definition: { service, module: fields.get('module') ?? '', properties },
    bootId: fields.get('boot') ?? '',
  }
}

export function unreadableRecord(place: string, reason: string): DavitError {
  return new DavitError('bad-record', `cannot read the record ${place}: ${reason}`, {
    exitStatus: ExitStatus.badDocument,
    hint: 'another version of davit may have written it',
  })
}
