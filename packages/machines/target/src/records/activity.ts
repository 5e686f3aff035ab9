import type { ManifestService, ProfileName, ServiceMapping } from '@davit/documents'

import { encodeField, type Verb } from '@davit/target-runtime'

import { fromHexadecimal } from '../helper/answer-lines.ts'
import { RefusedRequest } from '../helper/helper.ts'
import { isConnectionLost, type Machine } from '../machine.ts'
import { MAX_LOSSES } from '../helper/reconnect.ts'
import { beginOnce, type NotBegun } from './begin-once.ts'
import type { ContainerProperties } from './container-properties.ts'
import { recordFields } from './record.ts'
import { isUnresolved, reasonsOf, resolvedDefinition, secretFields } from './secrets.ts'

/**
 * Path of a mapping's module, below the profile of its target. If a service provides the container, that is preceded by the
 * service's package and a slash: `PACKAGE//MODULE`. The module in the package counts, if it has one. `dysnomia:TYPE` is the module that
 * Dysnomia has on the machine.
 */
export type ModuleReference = string

export interface ActivityRequest {
  readonly profile: ProfileName
  /** Token of the lock. */
  readonly token: string
  readonly activity: Verb
  readonly mapping: ServiceMapping
  /** Module to call in place of the one in the record. */
  readonly instead?: ModuleReference
  /** Contents of the record to write; not needed if there is one already. */
  readonly definition?: ActivityDefinition
  /** Time after which the module is stopped and the activity fails; without it, there is no limit. */
  readonly timeoutSeconds?: number | undefined
}

export interface ActivityDefinition extends ContainerProperties {
  readonly service: ManifestService
  readonly module: ModuleReference
  /** Component whose state moves with the service. */
  readonly component?: string
  /** Snapshot that has to be restored after the activation, before anybody is served. */
  readonly toRestore?: string
}

export type ActivityResult =
  | {
      readonly kind: 'succeeded'
      /** What was found damaged, and moved aside, of earlier snapshots. */
      readonly damage?: string
    }
  | { readonly kind: 'failed'; readonly message: string; readonly log: string }
  | NotBegun

const LOG_BYTES = 16 * 1024
const MAX_TROUBLE_CHARACTERS = 300

/**
 * Runs an activity to its end. If the helper or the connection is lost, it is replaced, and the activity goes on without
 * it, or is requested again if it never began. Rejects if the machine cannot be asked how the activity ended, and with `lock-lost` if it was not allowed to begin.
 */
export async function performActivity(machine: Machine, request: ActivityRequest): Promise<ActivityResult> {
  return resultOf(machine, request, () => statusOf(machine, request))
}

/** Turns the exit status of an activity, or the refusal to begin it, into its result. Rejects with `lock-lost` as it is. */
export async function resultOf<Other>(
  machine: Machine<'deploy' | 'state'>,
  request: DescribedActivity,
  status: () => Promise<number | Other>,
): Promise<ActivityResult | Other> {
  try {
    const ended = await status()
    if (typeof ended !== 'number') return ended
    if (ended === 0) return { kind: 'succeeded' }
    const failed = await failureOf(machine, request, ended)
    return ended === SET_ASIDE ? { kind: 'succeeded', damage: failed.log } : failed
  } catch (error) {
    if (isUnresolved(error)) return { kind: 'not-begun', message: reasonsOf(error), error }
    if (!(error instanceof RefusedRequest) || error.code === 'lock-lost') throw error
    return { kind: 'failed', message: error.messageWithRemedy, log: '' }
  }
}

async function statusOf(machine: Machine, request: ActivityRequest): Promise<number | NotBegun> {
  const { mapping, profile, token, activity } = request
  const { target, container, service } = mapping
  const fields = await definitionFields(machine, request)
  const start = [target, profile, token, activity, secondsOf(request), container, service, ...fields] as const
  for (let losses = 0; ; losses += 1) {
    const begun = await beginOnce((sent) => machine.requestActivity('start', start, { sent }))
    if (begun.kind === 'not-begun') return begun
    const status = begun.kind === 'ended' ? begun.result : await awaitActivity(machine, request)
    if (status !== NEVER_BEGAN || losses === MAX_LOSSES) return status
  }
}

/** Words with which a mapping is activated, or its module is called. */
export async function definitionFields(
  { secrets }: Pick<Machine, 'secrets'>,
  { mapping, instead, definition }: Pick<ActivityRequest, 'mapping' | 'instead' | 'definition'>,
): Promise<readonly string[]> {
  const insteadFields = instead === undefined ? [] : ['instead', encodeField(instead)]
  if (definition === undefined) return insteadFields
  const resolved = await resolvedDefinition(mapping, definition, secrets)
  return [...secretFields(resolved), ...insteadFields, ...recordFields(mapping, resolved.definition)]
}

/** `activity` may also be one that another version of davit has begun. */
type AwaitRequest = Pick<ActivityRequest, 'profile' | 'mapping' | 'timeoutSeconds'> & { readonly activity: string }

/**
 * Waits for the activity that runs on a mapping, and returns its exit status: 0 only if it reached its purpose, 256 if it never
 * began. An activity that an earlier run has begun gets the time limit of this run, from now on.
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

function secondsOf({ timeoutSeconds = 0 }: Pick<ActivityRequest, 'timeoutSeconds'>): string {
  return String(timeoutSeconds)
}

/** What names an activity and its log. */
type DescribedActivity = Pick<ActivityRequest, 'profile' | 'mapping' | 'timeoutSeconds'> & { readonly activity: string }

/** Describes a failed activity by its status, with the end of its log. */
export async function failureOf(
  machine: Machine<'deploy' | 'state'>,
  request: DescribedActivity,
  status: number,
): Promise<Extract<ActivityResult, { readonly kind: 'failed' }>> {
  const { mapping, profile, activity } = request
  const fields = [mapping.target, profile, activity, mapping.container, mapping.service, String(LOG_BYTES)] as const
  // The activity has failed in any case, even if its log cannot be read.
  const lines = await machine.request('log', fields).catch((): readonly string[] => [])
  const text = (fact: string) =>
    fromHexadecimal(lines.find((line) => line.startsWith(`${fact} `))?.slice(fact.length + 1))
  const trouble = text('room').trim().replaceAll(/\s+/g, ' ').slice(0, MAX_TROUBLE_CHARACTERS)
  const message = messageOf(status, request)
  return {
    kind: 'failed',
    message: trouble === '' ? message : `${message}, and nothing more can be written there (${trouble})`,
    log: machine.secrets.redactTail(text('log'), LOG_BYTES),
  }
}

function messageOf(status: number, { timeoutSeconds }: Pick<ActivityRequest, 'timeoutSeconds'>): string {
  if (status === LATE && timeoutSeconds !== undefined)
    return `it took longer than ${timeoutSeconds} seconds and was stopped`
  return RUNNER_STATUS.get(status) ?? `its module ended with status ${status}`
}

/** Exit statuses of the runners themselves (see `runner.sh` and `snapshot-runner.sh` in `target-runtime/runtime`). */
const SET_ASIDE = 247
const LATE = 252
export const STATUS_UNKNOWN = 255
/** No module can have it. */
export const NEVER_BEGAN = 256
/** Why state cannot be replaced, and what to do. */
export const NOT_SAVABLE =
  "its module takes no snapshots; 'davit-restore --discard' replaces it unsaved, once its service is deployed with --no-migration"
export const RUNNER_STATUS: ReadonlyMap<number, string> = new Map([
  [244, 'nothing tells what its content should be: neither davit nor a transfer has noted a checksum of it'],
  [245, 'it is damaged'],
  [248, NOT_SAVABLE],
  [250, 'the state could not be kept, or not be unpacked'],
  [LATE, 'it took too long and was stopped'],
  [253, 'its record could not be written'],
  [254, 'another run claimed the service first'],
  [STATUS_UNKNOWN, 'it was cut off, or never began'],
  [NEVER_BEGAN, 'it never began'],
])
