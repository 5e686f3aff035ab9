import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { ProfileName } from '@davit/documents'
import {
  type ActivityResult,
  type ObservedRecord,
  observeMappings,
  performActivity,
  type ShellTarget,
} from '@davit/target'

interface ServiceLockTerms {
  readonly profile: ProfileName
  readonly token: string
}

/** Asks every active service whether it can be changed now. If one refuses, those that agreed are told that nothing happens. */
export async function lockServices(targets: readonly ShellTarget[], terms: ServiceLockTerms): Promise<void> {
  const records = await activeRecords(targets, terms.profile)
  const answers = await Promise.all(records.map((record) => notify(record, terms, 'lock')))
  const refused = records.flatMap((record, index) => {
    const answer = answers[index]
    return answer?.kind === 'failed' ? [{ ...record, answer }] : []
  })
  if (refused.length === 0) return
  await unlockServices(targets, terms)
  const names = refused.map(({ observed }) => `'${observed.service.name}' on '${observed.mapping.target}'`)
  throw new DavitError('lock-refused', `${names.join(', ')} cannot be changed now`, {
    exitStatus: ExitStatus.failed,
    hint: 'try again later, or deploy with --no-lock',
    cause: new Error(refused.map(({ answer }) => answer.log.trim() || answer.message).join('\n')),
  })
}

/** Tells every active service, those of the new deployment, that it is over. */
export async function unlockServices(targets: readonly ShellTarget[], terms: ServiceLockTerms): Promise<void> {
  const records = await activeRecords(targets, terms.profile)
  await Promise.all(records.map((record) => notify(record, terms, 'unlock')))
}

interface ActiveRecord {
  readonly target: ShellTarget
  readonly observed: ObservedRecord
}

async function activeRecords(targets: readonly ShellTarget[], profile: ProfileName): Promise<readonly ActiveRecord[]> {
  const all = await Promise.all(
    targets.map(async (target) => {
      const observed = await observeMappings(target.machine, profile)
      return observed
        .filter(({ mapping, state }) => mapping.target === target.name && state === 'active')
        .map((record) => ({ target, observed: record }))
    }),
  )
  return all.flat()
}

function notify(
  { target, observed }: ActiveRecord,
  terms: ServiceLockTerms,
  activity: 'lock' | 'unlock',
): Promise<ActivityResult> {
  return performActivity(target.machine, { ...terms, activity, mapping: observed.mapping })
}
