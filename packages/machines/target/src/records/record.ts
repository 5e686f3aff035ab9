import {
  type ContainerName,
  encodeDocument,
  type ManifestService,
  parseDocument,
  ProfileManifest,
  type ServiceKey,
  type ServiceMapping,
  type ServiceName,
  type StorePath,
} from '@davit/documents'
import { DavitError } from '@davit/diagnostics'
import { decodeField, encodeField } from '@davit/target-runtime'

import type { ActivityDefinition } from './activity.ts'
import { fieldsOfSecrets, secretsIn } from './record-secrets.ts'

const RECORD_FORMAT = '1'

/** Returns the fields of a mapping's record and their encoded values in turn (see `target-runtime/runtime/activity.sh`). */
export function recordFields(mapping: ServiceMapping, definition: ActivityDefinition): readonly string[] {
  const { service, module, properties, secrets, component, toRestore } = definition
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
    ['entry', onOneLine(encodeDocument(ProfileManifest, entry, 'json'))],
    ...optional('component', component),
    ...optional('restore', toRestore),
    ...[...properties].map(([name, value]): [string, string] => [`property.${name}`, value]),
    ...fieldsOfSecrets(secrets),
  ]
  return fields.flatMap(([field, text]) => [field, encodeField(text)])
}

/** The text of a record without its module, for calls of which none is kept. */
export function recordText(
  mapping: ServiceMapping,
  definition: ActivityDefinition,
): { readonly module: string; readonly text: string } {
  const fields = recordFields(mapping, definition)
  const lines = fields.flatMap((field, index) =>
    index % 2 === 0 && field !== 'module' ? [`${field} ${fields[index + 1] ?? ''}`] : [],
  )
  return { module: definition.module, text: lines.join('\n') }
}

function optional(field: string, text: string | undefined): readonly [string, string][] {
  return text === undefined ? [] : [[field, text]]
}

/** Shortens JSON, since targets read records byte by byte. */
function onOneLine(json: string): string {
  return JSON.stringify(JSON.parse(json))
}

export type ParsedRecord =
  | {
      readonly kind: 'record'
      readonly mapping: ServiceMapping
      readonly definition: ActivityDefinition
      readonly bootId: string
    }
  | { readonly kind: 'damaged'; readonly problem: string }

/** What the directory of a record says of it. */
export interface RecordPlace {
  readonly key: ServiceKey
  readonly container: ContainerName
  readonly state: string
}

/** Parses a record of a target, which anybody may have changed, like any other document. */
export function parseRecord(lines: readonly string[], place: RecordPlace): ParsedRecord {
  const fields = fieldsOf(lines)
  const entry = entryOf(fields.get('entry') ?? '')
  const recorded = secretsIn(fields)
  const problem = problemOf(fields, place) ?? contradictionIn(fields, entry, place) ?? recorded.problem
  if (problem !== undefined || entry === undefined) return { kind: 'damaged', problem: problem ?? NO_ENTRY }
  const definition = {
    service: entry.service,
    module: textIn(fields, 'module'),
    properties: propertiesOf(fields),
    ...recorded.secrets,
    ...stateOf(fields),
  }
  return { kind: 'record', mapping: entry.mapping, definition, bootId: textIn(fields, 'boot') }
}

/** Returns how a record describes its service, wherever it lies; undefined if it is damaged. */
export function definitionIn(lines: readonly string[], container: ContainerName): ActivityDefinition | undefined {
  const key = textIn(fieldsOf(lines), 'service') as ServiceKey
  const parsed = parseRecord(lines, { key, container, state: 'active' })
  return parsed.kind === 'record' ? parsed.definition : undefined
}

function textIn(fields: Fields, field: string): string {
  return fields.get(field) ?? ''
}

function stateOf(fields: Fields): Pick<ActivityDefinition, 'component' | 'toRestore'> {
  const [component, toRestore] = [fields.get('component'), fields.get('restore')]
  return { ...(component === undefined ? {} : { component }), ...(toRestore === undefined ? {} : { toRestore }) }
}

type Fields = ReadonlyMap<string, string>

interface Entry {
  readonly mapping: ServiceMapping
  readonly service: ManifestService
}

const NO_ENTRY = 'its entry is not a profile manifest with one service'
const NECESSARY = ['format', 'module', 'pkg', 'container', 'name', 'service', 'entry', 'boot']

function problemOf(fields: Fields, { state }: RecordPlace): string | undefined {
  if (fields.size === 0) return 'it is empty'
  if (state === 'unknown') return 'its state is not a known one'
  const missing = NECESSARY.filter((field) => (fields.get(field) ?? '') === '')
  if (missing.length > 0) return `it lacks ${missing.join(', ')}`
  const format = fields.get('format')
  return format === RECORD_FORMAT ? undefined : `its format '${format}' is not supported`
}

function contradictionIn(fields: Fields, entry: Entry | undefined, place: RecordPlace): string | undefined {
  if (entry === undefined) return NO_ENTRY
  const { mapping, service } = entry
  if ([mapping.service, fields.get('service')].some((key) => key !== place.key)) return 'it belongs to another service'
  if (fields.get('pkg') !== service.pkg) return 'it names two packages'
  const isThere = [mapping.container, fields.get('container')].every((container) => container === place.container)
  return isThere ? undefined : 'it belongs to another container'
}

/** Returns the mapping of a record's directory, from its name or, if that is shortened, from the record itself. */
export function mappingNamed(
  directoryName: string,
  lines: readonly string[],
): { readonly container: ContainerName; readonly key: ServiceKey } {
  const fields = fieldsOf(lines)
  const [container = '', key = ''] = [fields.get('container'), fields.get('service')]
  const separator = directoryName.lastIndexOf(':')
  const [ofContainer, ofKey] = directoryNames(container, key).includes(directoryName)
    ? [container, key]
    : [directoryName.slice(0, separator), directoryName.slice(separator + 1)]
  return { container: ofContainer as ContainerName, key: ofKey as ServiceKey }
}

/** Names that `mapping_directory` in `target-runtime/runtime/record.sh` makes, and that older versions made of long containers. */
export function directoryNames(container: string, key: string): readonly string[] {
  return [`${container}:${key}`.slice(0, 240), `${container.slice(0, 150)}~${container.length}:${key}`]
}

/** What can still be read from a damaged record. */
export interface SalvagedFields {
  readonly container?: string
  /** The service as far as its module needs it; only its name and package are known. */
  readonly service?: ManifestService
}

export function salvagedFields(lines: readonly string[]): SalvagedFields {
  const fields = fieldsOf(lines)
  const text = (field: string) => fields.get(field) ?? ''
  const container = text('container')
  if (container === '') return {}
  if (!text('module').startsWith('/') || !text('pkg').startsWith('/')) return { container }
  const name = [text('name'), text('service'), 'unknown'].find((one) => one !== '') as ServiceName
  const described = { name, pkg: text('pkg') as StorePath, type: 'unknown' }
  return { container, service: { ...described, dependsOn: [], connectsTo: [], providesContainers: new Map() } }
}

function fieldsOf(lines: readonly string[]): Fields {
  return new Map(
    lines.map((line): [string, string] => {
      const space = `${line} `.indexOf(' ')
      return [line.slice(0, space), decodeField(line.slice(space + 1))]
    }),
  )
}

function entryOf(text: string): Entry | undefined {
  try {
    const { serviceMappings, services } = parseDocument(ProfileManifest, text, { file: 'record' })
    const [mapping] = serviceMappings
    const service = mapping === undefined ? undefined : services.get(mapping.service)
    return mapping === undefined || service === undefined ? undefined : { mapping, service }
  } catch (error) {
    if (error instanceof DavitError) return undefined
    throw error
  }
}

function propertiesOf(fields: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const prefix = 'property.'
  const properties = [...fields].filter(([field]) => field.startsWith(prefix))
  return new Map(properties.map(([field, value]) => [field.slice(prefix.length), value]))
}
