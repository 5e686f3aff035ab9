import type { Report, ReportEvent } from '@davit/diagnostics'
import {
  type Manifest,
  Manifest as ManifestFormat,
  type ProfileName,
  type TargetName,
  validateDocument,
} from '@davit/documents'
import { NO_SECRETS, type Secrets } from '@davit/secrets'
import { type ActivityDefinition, definitionOf, type Machine, recordText, type ShellTarget } from '@davit/target'
import { decodeField, encodeField } from '@davit/target-runtime'

export const PROFILE = 'default' as ProfileName
const HASH = '0'.repeat(32)

/** Services by name, with the targets on which they are, in a container `box`. */
export interface Placement {
  readonly placed: Readonly<Record<string, readonly string[]>>
  /** Services, on the first target of each, to which a service connects. */
  readonly connects?: Readonly<Record<string, readonly string[]>>
  /** Properties of each container. */
  readonly properties?: Readonly<Record<string, unknown>>
  /** Targets besides those with services. */
  readonly targets?: readonly string[]
  /** Name of the profiles. */
  readonly version?: string
  readonly cores?: number
}

export function manifest({
  placed,
  connects = {},
  properties = {},
  targets = [],
  version = '1',
  cores = 1,
}: Placement): Manifest {
  const names = [...new Set([...Object.values(placed).flat(), ...targets])]
  const on = (service: string, target = '') => ({ service: `key-${service}`, target, container: 'box' })
  const target = {
    properties: { hostname: 'localhost' },
    containers: { box: properties },
    system: 'x86_64-linux',
    numOfCores: cores,
    clientInterface: 'local',
    targetProperty: 'hostname',
  }
  const services = Object.keys(placed).map((name) => {
    const connectsTo = (connects[name] ?? []).map((other) => on(other, placed[other]?.[0]))
    return [`key-${name}`, { name, pkg: `/store/${HASH}-${name}`, type: 'plain', connectsTo }]
  })
  const document = {
    store: { kind: 'native', directory: '/store' },
    profiles: Object.fromEntries(names.map((name) => [name, `/store/${HASH}-profile-${version}`])),
    services: Object.fromEntries(services) as Readonly<Record<string, unknown>>,
    infrastructure: Object.fromEntries(names.map((name) => [name, target])),
    serviceMappings: Object.entries(placed).flatMap(([name, places]) => places.map((place) => on(name, place))),
    snapshotMappings: [],
  }
  return validateDocument(ManifestFormat, document, { file: 'manifest' })
}

/** A record on a machine. */
export interface Recorded {
  readonly target: string
  readonly service: string
  /** How it was activated; see `recordsOf`. */
  readonly definition: ActivityDefinition
  readonly state?: 'activating' | 'active' | 'deactivating' | 'unknown'
  running?: boolean
  readonly activity?: string
  readonly boot?: string
  readonly declares?: string
  /** What its module answers: its exit status, or nothing in time. */
  readonly status?: string
  /** Fields that somebody has removed. */
  readonly lacks?: readonly string[]
}

/** The records that a deployment of the manifest leaves on a target, each changed in the same way. */
export function recordsOf(from: Manifest, target: string, change: Partial<Recorded> = {}): readonly Recorded[] {
  return from.serviceMappings
    .filter((mapping) => mapping.target === target)
    .map((mapping) => ({
      target,
      service: mapping.service.slice('key-'.length),
      definition: definitionOf(from, mapping),
      ...change,
    }))
}

export interface Told {
  readonly records?: readonly Recorded[]
  /** Other lines of the answer to `observe`. */
  readonly lines?: readonly string[]
  readonly profiles?: readonly string[]
  readonly boot?: string
  /** What distinguishes the machine from others. */
  readonly place?: string
  readonly address?: string
  /** Paths of modules by the profile that has them; of all others, that of the reference. */
  readonly modules?: Readonly<Record<string, string | undefined>>
  readonly secrets?: Partial<Secrets>
  readonly client?: Machine['client']
  readonly stateDirectory?: string
  /** Called before each request is answered. */
  readonly before?: (operation: string) => Promise<void> | void
}

/** A machine that answers from a table, and notes what it is asked. */
export interface TableMachine extends Machine {
  readonly asked: string[]
}

export function tableMachine(told: Told): TableMachine {
  const { records = [], secrets, client, place = 'here', address = place, stateDirectory = '/state' } = told
  const asked: string[] = []
  const answers: Readonly<Record<string, (fields: readonly string[]) => readonly string[]>> = {
    observe: () => observation(told),
    resolve: (fields) => fields.map((field) => moduleLine(decodeField(field), told)),
  }
  const request = async (operation: string, fields: readonly string[]) => {
    asked.push(operation)
    await told.before?.(operation)
    return answers[operation]?.(fields) ?? []
  }
  const requestActivity = async (operation: string, fields: readonly string[], listener?: Listener) => {
    const [target = '', , ...rest] = fields
    asked.push(`${operation} ${target} ${rest.filter((word) => !/^[0-9a-f]{16}$/.test(word)).join(' ')}`)
    await told.before?.(operation)
    const here = records.filter((record) => record.target === target)
    const named = rest.flatMap((word) => here.filter(({ service }) => word === `key-${service}`))
    for (const [index, record] of named.entries()) {
      record.running = false
      if (record.status !== undefined) listener?.told?.(index + 1, record.status)
    }
    return 0
  }
  const facts = { bootId: told.boot ?? '1', place, stateDirectory, userId: 0 }
  const own = { ...NO_SECRETS, ...secrets }
  const machine = { address, facts, answerSeconds: 1, request, requestActivity, secrets: own, asked }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { ...machine, ...(client === undefined ? {} : { client }) } as unknown as TableMachine
}

interface Listener {
  readonly told?: (number: number, status: string) => boolean
}

function observation({ records = [], profiles = [], lines = [], boot = '1' }: Told): readonly string[] {
  return [`boot ${boot}`, ...profiles.map((name) => `profile ${name}`), ...records.flatMap(recordLines), ...lines]
}

function recordLines({ target, service, definition, lacks = [], ...record }: Recorded): readonly string[] {
  const { state = 'active', running = false, activity, boot = '1', declares } = record
  const mapping = { target: target as TargetName, container: 'box' as never, service: `key-${service}` as never }
  const { module, text } = recordText(mapping, definition)
  const fields = [...text.split('\n'), `module ${encodeField(module)}`, `boot ${boot}`]
  return [
    `mapping ${target} ${state} ${running ? 'running' : 'ended'} box:key-${service}`,
    ...fields.filter((field) => !lacks.includes(field.split(' ')[0] ?? '')).map((field) => `field ${field}`),
    ...(activity === undefined ? [] : [`activity ${activity}`]),
    ...(declares === undefined ? [] : [`declares ${declares}`]),
  ]
}

function moduleLine(reference: string, { modules = {} }: Told): string {
  const profile = Object.keys(modules).find((name) => reference.includes(name))
  const path = profile === undefined ? reference : modules[profile]
  return path === undefined ? 'module - -' : `module ${path} activate deactivate status`
}

export function target(name: string, machine: Machine): ShellTarget {
  return { name: name as TargetName, machine }
}

/** Reports, a line each. */
export function reports(): { readonly report: Report; readonly lines: readonly string[] } {
  const lines: string[] = []
  const report = (event: ReportEvent) => {
    if (!('message' in event)) return
    lines.push(`${event.kind}: ${event.target === undefined ? '' : `[${event.target}] `}${event.message}`)
  }
  return { report, lines }
}
