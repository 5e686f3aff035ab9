import type {
  ContainerName,
  Manifest,
  ProfileName,
  ServiceKey,
  ServiceName,
  StorePath,
  System,
  Target,
  TargetName,
} from '@davit/documents'
import type { ReportEvent } from '@davit/diagnostics'
import { NO_SECRETS, type Secrets } from '@davit/secrets'
import { type ActivityDefinition, type Machine, recordText } from '@davit/target'

import type { LogTerms } from '../src/log-terms.ts'

/** What a machine has: services by name, and its files by path. */
export interface Told {
  readonly services: Readonly<Record<string, ToldService>>
  readonly files?: Readonly<Record<string, string>>
}

export interface ToldService {
  readonly target: string
  /** By default `process`. */
  readonly container?: string
  /** What its module prints when it is asked for logs; undefined if it has none. Variables of the call are given. */
  readonly logs?: (variables: Readonly<Record<string, string>>) => string
  /** Status of its module, always or by the variables of the call. */
  readonly status?: number
  readonly statusOf?: (variables: Readonly<Record<string, string>>) => number
  /** Whether nobody can tell how it was activated. */
  readonly isDamaged?: boolean
  /** Variable of the coordinator with a secret of its container. */
  readonly secret?: string
  /** Paths of the logs of its activities. */
  readonly activities?: Readonly<Record<string, string>>
}

export interface ToldMachine extends Machine<'logs'> {
  /** Operations that were requested. */
  readonly asked: string[]
  readonly isClosed: () => boolean
  /** Lets each further request fail. */
  lose(error: Error): void
}

const hexadecimal = (text: string) => Buffer.from(text).toString('hex')
const keyOf = (name: string) => Buffer.from(name).toString('hex').padEnd(64, '0') as ServiceKey

/** A machine whose answers are made of what it is said to have, at the moment when it is asked. */
export function toldMachine(told: Told, secrets: Partial<Secrets> = {}, place = 'far'): ToldMachine {
  const asked: string[] = []
  let lost: Error | undefined
  let closed = false
  const answers: Readonly<Record<string, (fields: readonly string[]) => readonly string[]>> = {
    observe: () => ['boot 1', ...Object.entries(told.services).flatMap(([name, service]) => recordOf(name, service))],
    activity_logs: ([target, , ...words]) => activityLogs(told, target, words),
    read_files: ([bytes, lines, ...words]) =>
      readFiles(told.files ?? {}, { bytes: Number(bytes), lines: Number(lines) }, words),
    call_logs: ([, , , bytes = '0', , key = '', ...words]) => callLogs(told, key, words, Number(bytes)),
  }
  const request = async (operation: string, fields: readonly string[]) => {
    asked.push(operation)
    if (lost !== undefined) throw lost
    return answers[operation]?.(fields) ?? []
  }
  const machine = {
    address: 'far',
    facts: { stateDirectory: '/state', place },
    answerSeconds: 1,
    request,
    secrets: { ...NO_SECRETS, ...secrets },
    close: () => void (closed = true),
    asked,
    isClosed: () => closed,
    lose: (error: Error) => void (lost = error),
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return machine as unknown as ToldMachine
}

function serviceNamed(name: string): ActivityDefinition['service'] {
  return {
    name: name as ServiceName,
    pkg: `/store/${'0'.repeat(32)}-${name}` as StorePath,
    type: 'process',
    dependsOn: [],
    connectsTo: [],
    providesContainers: new Map(),
  }
}

/** A manifest with one service on one target. */
export function manifestWith(name: string, target: string): Manifest {
  const mapping = { target: target as TargetName, container: 'process' as ContainerName, service: keyOf(name) }
  return {
    profiles: new Map([[mapping.target, `/store/${'0'.repeat(32)}-profile` as StorePath]]),
    services: new Map([[mapping.service, serviceNamed(name)]]),
    infrastructure: new Map([
      [mapping.target, { ...targetAt(target), containers: new Map([[mapping.container, new Map()]]) }],
    ]),
    serviceMappings: [mapping],
    snapshotMappings: [],
    store: { kind: 'native', directory: '/store' },
  }
}

function targetAt(hostname: string): Target {
  return {
    properties: new Map([['hostname', hostname]]),
    containers: new Map(),
    system: 'x86_64-linux' as System,
    numOfCores: 1,
    clientInterface: 'ssh',
    targetProperty: 'hostname',
  }
}

function recordOf(
  name: string,
  { target, container = 'process', logs, secret, isDamaged = false }: ToldService,
): readonly string[] {
  const key = keyOf(name)
  const mapping = { target: target as TargetName, container: container as ContainerName, service: key }
  const definition: ActivityDefinition = {
    service: serviceNamed(name),
    module: '/module',
    properties: new Map(),
    ...(secret === undefined ? {} : { secrets: new Map([['password', { text: [{ env: secret }] }]]) }),
  }
  const { module, text } = recordText(mapping, definition)
  return [
    `mapping ${target} active ended ${container}:${key}`,
    ...[...text.split('\n'), `module ${module}`, ...(isDamaged ? [] : ['boot 1'])].map((line) => `field ${line}`),
    ...(logs === undefined ? [] : ['declares activate logs']),
  ]
}

function activityLogs({ services }: Told, target: string | undefined, words: readonly string[]): readonly string[] {
  return Object.entries(services).flatMap(([name, { activities = {}, ...service }]) => {
    const number = words.indexOf(keyOf(name))
    if (service.target !== target || number === -1) return []
    return Object.entries(activities).map(([activity, path]) => `log ${(number + 1) / 2} ${activity} ${path}`)
  })
}

interface Limits {
  readonly bytes: number
  readonly lines: number
}

function readFiles(
  files: Readonly<Record<string, string>>,
  limits: Limits,
  words: readonly string[],
): readonly string[] {
  const parts = chunks(words, 2).flatMap(([position = '-', path = ''], index) =>
    readFile(files[path], position, limits).map((part) => part.replace(' ', ` ${index + 1} `)),
  )
  return ['clock 1700000000 +0000', ...parts]
}

/** A position is the size that a file had. */
function readFile(text: string | undefined, position: string, { bytes, lines }: Limits): readonly string[] {
  const seen = /^1:(\d+):/.exec(position)?.[1]
  if (text === undefined || seen === String(text.length)) return []
  const fresh = seen === undefined ? lastLines(text, lines) : text.slice(Number(seen))
  return [
    ...(seen === undefined ? ['began 1700000000'] : []),
    ...(fresh.length > bytes ? [`skipped ${fresh.length - bytes}`] : []),
    `text ${hexadecimal(fresh.slice(-bytes))}`,
    `file 1:${text.length}:-:ab`,
  ]
}

function chunks(words: readonly string[], size: number): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(words.length / size) }, (_, at) => words.slice(at * size, (at + 1) * size))
}

function lastLines(text: string, count: number): string {
  const lines = text.split(/(?<=\n)/)
  return lines.slice(Math.max(0, lines.length - count)).join('')
}

function callLogs({ services }: Told, key: string, words: readonly string[], bytes: number): readonly string[] {
  const [, service = { target: '' }] = Object.entries(services).find(([name]) => keyOf(name) === key) ?? []
  const { logs = () => '', status = 0, statusOf = () => status } = service
  const variables = Object.fromEntries(
    chunks(words, 3).map(([, name = '', word]) => [name, word === '\\c' ? '' : (word ?? '')]),
  )
  const ended = statusOf(variables)
  const text = `${logs(variables)}${ended === 0 ? '' : `\ndavit:status ${ended}\n`}`
  return [`text ${hexadecimal(text.slice(-bytes))}`]
}

export function termsOf(options: Partial<LogTerms> & { readonly targets: readonly string[] }): LogTerms & {
  /** What was reported. */
  readonly told: () => readonly string[]
} {
  const { targets, ...rest } = options
  const events: ReportEvent[] = []
  const infrastructure = new Map(targets.map((name) => [name as TargetName, targetAt(name)]))
  return {
    profile: 'default' as ProfileName,
    expected: undefined,
    services: new Set(['web']),
    containers: undefined,
    infrastructure,
    activities: undefined,
    lines: 100,
    since: undefined,
    report: (event) => void events.push(event),
    signal: new AbortController().signal,
    told: () => events.map(textOf),
    ...rest,
  }
}

function textOf(event: ReportEvent): string {
  if (event.kind !== 'warning' && event.kind !== 'note') return event.kind
  return event.target === undefined ? event.message : `${event.target}: ${event.message}`
}
