import { DavitError } from '@davit/diagnostics'
import type { ManifestService, ProfileName, ServiceMapping } from '@davit/documents'

import { encodeField, type FieldsOf } from '@davit/target-runtime'

import { fromHexadecimal } from '../helper/answer-lines.ts'
import { RefusedRequest } from '../helper/helper.ts'
import { isConnectionLost, type Machine } from '../machine.ts'
import { MAX_LOSSES } from '../helper/reconnect.ts'
import { recordFields } from './record.ts'

/** Where a mapping's module is: below the profile of its target, or in the package of the service that provides the container. */
export type ModuleReference = string

export interface ActivityRequest {
  readonly profile: ProfileName
  /** The lock's token, without which nothing is done. */
  readonly token: string
  readonly activity: 'activate' | 'deactivate' | 'lock' | 'unlock'
  readonly mapping: ServiceMapping
  /** Called in place of the module that the record names. */
  readonly instead?: ModuleReference
  /** What the record is to say; what has a record already needs none. */
  readonly definition?: ActivityDefinition
  /** After which the module is ended and the activity has failed; without it, it may take as long as it wants. */
  readonly timeoutSeconds?: number | undefined
}

export interface ActivityDefinition {
  readonly service: ManifestService
  readonly module: ModuleReference
  readonly properties: ReadonlyMap<string, string>
}

export type ActivityResult =
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'failed'; readonly message: string; readonly log: string }
  /** Nothing of it has reached the machine. */
  | { readonly kind: 'not-begun'; readonly message: string; readonly error: unknown }

const LOG_BYTES = 16 * 1024
const MAX_TROUBLE_CHARACTERS = 300

/**
 * Runs an activity to its end. A helper or connection that is lost meanwhile is replaced: the activity goes on without it.
 * Rejects where the machine cannot say any more how it ended, and with `lock-lost`; then nothing was begun.
 */
export async function performActivity(machine: Machine, request: ActivityRequest): Promise<ActivityResult> {
  const { mapping, profile, token, activity } = request
  const { target, container, service } = mapping
  const fields = definitionFields(request)
  const start = [target, profile, token, activity, secondsOf(request), container, service, ...fields] as const
  try {
    const begun = await begin(machine, start)
    if (begun.kind === 'not-begun') return begun
    const status = begun.kind === 'ended' ? begun.status : await awaitActivity(machine, request)
    return status === 0 ? { kind: 'succeeded' } : await failureOf(machine, request, status)
  } catch (error) {
    if (!(error instanceof RefusedRequest) || error.code === 'lock-lost') throw error
    return { kind: 'failed', message: error.messageWithRemedy, log: '' }
  }
}

function definitionFields({ mapping, instead, definition }: ActivityRequest): readonly string[] {
  return [
    ...(instead === undefined ? [] : ['instead', encodeField(instead)]),
    ...(definition === undefined ? [] : recordFields(mapping, definition)),
  ]
}

type Beginning =
  | { readonly kind: 'ended'; readonly status: number }
  | { readonly kind: 'lost' }
  | Extract<ActivityResult, { readonly kind: 'not-begun' }>

async function begin(machine: Machine, start: FieldsOf<'start'>): Promise<Beginning> {
  const first = await tryToBegin(machine, start)
  // The helper had just been lost: there may be another one.
  return first.kind === 'not-begun' && isConnectionLost(first.error) ? tryToBegin(machine, start) : first
}

async function tryToBegin(machine: Machine, start: FieldsOf<'start'>): Promise<Beginning> {
  let wasSent = false
  const sent = () => {
    wasSent = true
  }
  try {
    return { kind: 'ended', status: await machine.requestActivity('start', start, sent) }
  } catch (error) {
    if (wasSent && isConnectionLost(error)) return { kind: 'lost' }
    if (wasSent || !(error instanceof DavitError)) throw error
    return { kind: 'not-begun', message: error.message, error }
  }
}

/** Whatever runs, also what another version may have begun. */
type AwaitRequest = Pick<ActivityRequest, 'profile' | 'mapping' | 'timeoutSeconds'> & { readonly activity: string }

/**
 * The exit status of what runs on a mapping, once it has ended; 0 only if the activity reached what it is for. What was begun
 * by an earlier run gets the time of this one from now on.
 */
export async function awaitActivity(machine: Machine, request: AwaitRequest): Promise<number> {
  const { mapping, profile, activity } = request
  const fields = [mapping.target, profile, activity, secondsOf(request), mapping.container, mapping.service] as const
  for (let losses = 0; ; losses += 1) {
    try {
      return await machine.requestActivity('await', fields)
    } catch (error) {
      if (!isConnectionLost(error) || losses === MAX_LOSSES) throw error
    }
  }
}

export interface StatusRequest {
  readonly profile: ProfileName
  readonly mapping: ServiceMapping
  readonly timeoutSeconds: number
}

/**
 * What the module of something active says of it, which needs no lock and changes nothing: `unknown` when it does not say it in
 * time, `gone` when there is no record any more by which it could be asked.
 */
export async function askStatus(
  machine: Machine,
  { profile, mapping, timeoutSeconds }: StatusRequest,
): Promise<'runs' | 'does-not-run' | 'unknown' | 'gone'> {
  const fields = [mapping.target, profile, String(timeoutSeconds), mapping.container, mapping.service] as const
  const ask = async () => {
    try {
      return await machine.requestActivity('status', fields)
    } catch (error) {
      if (error instanceof RefusedRequest) return 'gone'
      throw error
    }
  }
  const status = await ask().catch((error: unknown) => {
    if (!isConnectionLost(error)) throw error
    return ask()
  })
  if (status === 'gone') return status
  if (status === 0) return 'runs'
  return RUNNER_STATUS.has(status) ? 'unknown' : 'does-not-run'
}

function secondsOf({ timeoutSeconds = 0 }: Pick<ActivityRequest, 'timeoutSeconds'>): string {
  return String(timeoutSeconds)
}

async function failureOf(machine: Machine, request: ActivityRequest, status: number): Promise<ActivityResult> {
  const { mapping, profile, activity } = request
  const fields = [mapping.target, profile, activity, mapping.container, mapping.service, String(LOG_BYTES)] as const
  // That it failed is certain, even when nobody can say any more why.
  const lines = await machine.request('log', fields).catch((): readonly string[] => [])
  const text = (fact: string) =>
    fromHexadecimal(lines.find((line) => line.startsWith(`${fact} `))?.slice(fact.length + 1))
  const trouble = text('room').trim().replaceAll(/\s+/g, ' ').slice(0, MAX_TROUBLE_CHARACTERS)
  const message = messageOf(status, request)
  return {
    kind: 'failed',
    message: trouble === '' ? message : `${message}, and nothing more can be written there (${trouble})`,
    log: text('log'),
  }
}

function messageOf(status: number, { timeoutSeconds }: ActivityRequest): string {
  if (status === LATE && timeoutSeconds !== undefined)
    return `it took longer than ${timeoutSeconds} seconds, and was ended`
  return RUNNER_STATUS.get(status) ?? `its module ended with status ${status}`
}

/** What the runner itself says (see `target-runtime/runtime/activity.sh`). */
const LATE = 252
const STATUS_UNKNOWN = 255
const RUNNER_STATUS: ReadonlyMap<number, string> = new Map([
  [LATE, 'it took too long, and was ended'],
  [253, 'its record could not be written'],
  [254, 'another run was faster'],
  [STATUS_UNKNOWN, 'it was cut off, or never began'],
])
