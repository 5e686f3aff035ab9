import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { ProfileName, ServiceName, TargetName } from '@davit/documents'
import {
  askServices,
  type Machine,
  type ObservedRecord,
  observeMappings,
  type ShellTarget,
  unresolvedOf,
} from '@davit/target'
import { isUp } from '@davit/target-runtime'

export interface ServiceLockTerms {
  readonly profile: ProfileName
  readonly token: string
  /** Time after which a service that has not answered counts as refusing; without it, there is no limit. */
  readonly timeoutSeconds?: number | undefined
  /** Which services are asked; by default, all are. */
  readonly isConcerned?: ((service: ServiceName, target: TargetName) => boolean) | undefined
  /** How many services may be asked at a time on a target. */
  readonly coresOf: (target: TargetName) => number
}

/** Asks every active service whether it can be changed now. If one refuses, the caller must call `unlockServices`. */
export async function lockServices(targets: readonly ShellTarget[], terms: ServiceLockTerms): Promise<void> {
  const refusals = await notifyServices(targets, terms, 'lock')
  if (refusals.length === 0) return
  throw new DavitError('lock-refused', `${namesOf(refusals)} cannot be changed now`, {
    exitStatus: ExitStatus.failed,
    hint: 'the services themselves refused; try again later',
    cause: causeOf(refusals),
  })
}

/** Tells every service that is active after the deployment that it is over. */
export async function unlockServices(targets: readonly ShellTarget[], terms: ServiceLockTerms): Promise<void> {
  const refusals = await notifyServices(targets, terms, 'unlock')
  if (refusals.length === 0) return
  throw new DavitError('unlock-refused', `${namesOf(refusals)} could not be unlocked`, {
    exitStatus: ExitStatus.failed,
    cause: causeOf(refusals),
  })
}

interface Refusal {
  readonly observed: ObservedRecord
  readonly message: string
  /** End of the module's output. */
  readonly log: string
}

/**
 * Calls the modules of all active services, even if some refuse; throws afterwards if a machine could not be asked. Modules that
 * declare their activities without this one are not started.
 */
async function notifyServices(
  targets: readonly ShellTarget[],
  { coresOf, isConcerned = () => true, ...terms }: ServiceLockTerms,
  activity: 'lock' | 'unlock',
): Promise<readonly Refusal[]> {
  const notifyTarget = async ({ name, machine }: ShellTarget) => {
    const records = await observeMappings(machine, terms.profile)
    const active = records.filter(({ mapping, state }) => mapping.target === name && isUp(state))
    const concerned = active.filter(({ service }) => isConcerned(service.name, name))
    const declaring = concerned.filter(({ declared }) => declared === undefined || declared.includes(activity))
    // Nothing is locked without all secrets; what is locked is unlocked as far as possible.
    const missing = activity === 'unlock' ? await withoutSecrets(declaring, machine) : []
    const toAsk = declaring.filter((observed) => !missing.some((refusal) => refusal.observed === observed))
    const mappings = toAsk.map(({ mapping }) => mapping)
    const definitions = toAsk.map(({ definition }) => definition)
    const asked = { activity, target: name, mappings, definitions, atATime: coresOf(name) }
    const answers = await askServices(machine, { ...terms, ...asked })
    const refusals = toAsk.flatMap((observed, index): readonly Refusal[] => {
      const answer = answers[index]
      return answer?.kind === 'failed' ? [{ observed, message: answer.message, log: answer.log.trim() }] : []
    })
    return [...missing, ...refusals]
  }
  const asking = targets.map(notifyTarget)
  await Promise.allSettled(asking)
  return (await Promise.all(asking)).flat()
}

/** Those that cannot be asked, as a secret cannot be resolved. */
async function withoutSecrets(records: readonly ObservedRecord[], { secrets }: Machine): Promise<readonly Refusal[]> {
  const found = records.map(async (observed): Promise<readonly Refusal[]> => {
    const reasons = await unresolvedOf(observed, secrets)
    return reasons.length === 0 ? [] : [{ observed, message: reasons.join('; '), log: '' }]
  })
  return (await Promise.all(found)).flat()
}

function namesOf(refusals: readonly Refusal[]): string {
  return refusals.map(nameOf).join(', ')
}

function nameOf({ observed: { service, mapping } }: Refusal): string {
  return `'${service.name}' on '${mapping.target}'`
}

function causeOf(refusals: readonly Refusal[]): Error {
  const reasonOf = (refusal: Refusal) => {
    const { message, log } = refusal
    return `${nameOf(refusal)}: ${log === '' ? message : `${message}: ${log}`}`
  }
  return new Error(refusals.map(reasonOf).join('\n'))
}
