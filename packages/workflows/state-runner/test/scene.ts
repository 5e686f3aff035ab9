import type { ReportEvent } from '@davit/diagnostics'
import {
  type Manifest,
  Manifest as ManifestFormat,
  type ProfileName,
  type TargetName,
  validateDocument,
} from '@davit/documents'
import { NO_SECRETS } from '@davit/secrets'
import { definitionOf, type Machine, recordText } from '@davit/target'
import { encodeField } from '@davit/target-runtime'
import type { StatefulService } from '@davit/transition'

import type { StateScene } from '../src/scene.ts'

const HASH = '0'.repeat(32)

/** Services on targets, each with state in a container `box`: `{ db: ['t1'] }`. */
export type Placed = Readonly<Record<string, readonly string[]>>

export function manifest(placed: Placed, properties: Readonly<Record<string, unknown>> = {}): Manifest {
  const names = [...new Set(Object.values(placed).flat())]
  const target = {
    properties: { hostname: 'localhost' },
    containers: { box: properties },
    system: 'x86_64-linux',
    clientInterface: 'local',
    targetProperty: 'hostname',
  }
  const services = Object.keys(placed).map((name) => [
    `key-${name}`,
    { name, pkg: `/store/${HASH}-${name}`, type: 'plain' },
  ])
  const places = Object.entries(placed).flatMap(([name, targets]) => targets.map((one) => [name, one] as const))
  const document = {
    store: { kind: 'native', directory: '/store' },
    profiles: Object.fromEntries(names.map((name) => [name, `/store/${HASH}-profile`])),
    services: Object.fromEntries(services) as object,
    infrastructure: Object.fromEntries(names.map((name) => [name, target])),
    serviceMappings: places.map(([name, one]) => ({ service: `key-${name}`, target: one, container: 'box' })),
    snapshotMappings: places.map(([name, one]) => ({
      service: `key-${name}`,
      component: name,
      target: one,
      container: 'box',
    })),
  }
  return validateDocument(ManifestFormat, document, { file: 'manifest' })
}

/** The state of a service of a manifest: `db t1`. */
export function stateful(from: Manifest, text: string): StatefulService {
  const [component = '', target] = text.split(' ')
  const mapping = from.serviceMappings.find((one) => one.service === `key-${component}` && one.target === target)
  const service = mapping && from.services.get(mapping.service)
  if (mapping === undefined || service === undefined) throw new Error(`there is no ${text}`)
  return { mapping, service, component }
}

export interface Told {
  /** Lines of answers by the operation, or made of its fields; other operations have no answer. */
  readonly answers?: Readonly<Record<string, readonly string[] | ((fields: readonly string[]) => readonly string[])>>
  /** Statuses of activities by name; by default, they succeed. */
  readonly statuses?: Readonly<Record<string, number>>
  /** Called before each request; what it throws is the answer. */
  readonly before?: (operation: string, fields: readonly string[]) => void
  readonly place?: string
  readonly stateDirectory?: string
}

export interface TableMachine extends Machine {
  /** Requests, with the fields that say what they are about. */
  readonly asked: string[]
}

/** A machine that answers from a table. */
export function tableMachine({
  answers = {},
  statuses = {},
  before,
  place = 'here',
  stateDirectory = '/state',
}: Told): TableMachine {
  const asked: string[] = []
  const request = async (operation: string, fields: readonly string[]) => {
    asked.push(operation)
    before?.(operation, fields)
    const answer = answers[operation] ?? []
    return typeof answer === 'function' ? answer(fields) : answer
  }
  const requestActivity = async (operation: string, fields: readonly string[], listener: Listener = {}) => {
    const activity = fields.find((field) => ACTIVITIES.has(field)) ?? operation
    asked.push(activity)
    listener.sent?.()
    before?.(activity, fields)
    const status = statuses[activity] ?? 0
    if (operation !== 'ask') return status
    listener.told?.(1, String(status))
    return 0
  }
  const facts = { bootId: '1', place, stateDirectory, userId: 0, compressors: [] }
  const machine = { address: place, facts, answerSeconds: 1, request, requestActivity, secrets: NO_SECRETS, asked }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return machine as unknown as TableMachine
}

interface Listener {
  readonly sent?: () => void
  readonly told?: (number: number, status: string) => boolean
}

const ACTIVITIES = new Set(['activate', 'deactivate', 'snapshot', 'restore', 'collect-garbage', 'status', 'verify'])

/** Lines of the record of a service. */
export function record(
  from: Manifest,
  text: string,
  { state = 'active', declares = 'activate deactivate snapshot restore', more = [] as readonly string[] } = {},
): readonly string[] {
  const { mapping } = stateful(from, text)
  const { module, text: fields } = recordText(mapping, definitionOf(from, mapping))
  const lines = [...fields.split('\n'), `module ${encodeField(module)}`, 'boot 1']
  return [
    `mapping ${mapping.target} ${state} ended box:${mapping.service}`,
    ...lines.map((line) => `field ${line}`),
    `declares ${declares}`,
    ...more,
  ]
}

/** A scene with a machine for each target, and what was reported, a line each. */
export function scene(
  from: Manifest,
  machines: Readonly<Record<string, TableMachine>>,
  { here = tableMachine({}), ...more }: Partial<StateScene> & { readonly here?: TableMachine } = {},
) {
  const said: string[] = []
  const report = (event: ReportEvent) => {
    if ('message' in event)
      said.push(`${event.kind}: ${event.target === undefined ? '' : `[${event.target}] `}${event.message}`)
    else if ('step' in event) said.push(`${event.kind}: ${event.step}`)
  }
  const places = new Map(
    Object.entries(machines).map(([name, machine]) => [name as TargetName, { name: name as TargetName, machine }]),
  )
  const made: StateScene = {
    machines: { on: async ({ machine }) => machine as never, here: async () => here as never },
    profile: 'default' as ProfileName,
    places,
    manifest: from,
    others: [],
    report,
    signal: new AbortController().signal,
    ...more,
  }
  return { scene: made, said }
}
