import { DavitError, ExitStatus, type Message } from '@davit/diagnostics'
import type { Manifest, ProfileName } from '@davit/documents'

import type { FoundService } from '@davit/observation'

import { say } from './messages.ts'

/** Terms on which a coordinator without a generation of a deployment may change it. */
export interface Claim {
  readonly profile: ProfileName
  readonly takeOver: boolean
}

/**
 * Checks services that this coordinator has not deployed and next would all remove. Refuses to remove them, since the name may
 * be wrong, or returns a warning if they are to be taken over. If next has even one of the services, it is the same system.
 */
export function takeOver(next: Manifest, found: readonly FoundService[], claim: Claim): readonly Message[] {
  if (found.length === 0 || found.some(isIn(next))) return []
  const { profile } = claim
  if (!claim.takeOver) throw refusal(next, found, profile)
  const places = byTarget(found)
  const targets = places.map(([target]) => target)
  return [say('taking-over', { profile, targets, counts: places.map(([, services]) => services.length) })]
}

/** Whether next contains a service: any version on the same target, or the same version anywhere. */
function isIn(next: Manifest): (found: FoundService) => boolean {
  const keys = new Set(next.serviceMappings.map(({ service }) => service))
  const names = new Set(
    next.serviceMappings.map(({ target, service }) => `${target} ${next.services.get(service)?.name}`),
  )
  return ({ key, target, name }) => keys.has(key) || names.has(`${target} ${name}`)
}

function refusal(next: Manifest, found: readonly FoundService[], profile: ProfileName): DavitError {
  const isUndeployment = next.serviceMappings.length === 0
  const what = isUndeployment ? '' : ', and none of it is in the manifest'
  const ways = isUndeployment
    ? 'undeploy another deployment with -p NAME, or this one with --take-over'
    : 'deploy alongside it under another name with -p NAME, or stop and replace it with --take-over'
  return new DavitError('not-ours', `what runs as '${profile}' was not deployed from this coordinator${what}`, {
    exitStatus: ExitStatus.failed,
    diagnostics: byTarget(found).map(([target, services]) => ({
      severity: 'error',
      message: `${services.length} service${services.length === 1 ? '' : 's'} on '${target}': ${namesOf(services)}`,
    })),
    hint: `nothing was done; ${ways}`,
  })
}

function byTarget(found: readonly FoundService[]): readonly (readonly [string, readonly FoundService[]])[] {
  const targets = [...new Set(found.map(({ target }) => target))].toSorted()
  return targets.map((target) => [target, found.filter((one) => one.target === target)])
}

const NAMED = 5

function namesOf(services: readonly FoundService[]): string {
  const names = services.map(({ name }) => `'${name}'`).toSorted()
  const left = names.length - NAMED
  return left <= 1 ? names.join(', ') : `${names.slice(0, NAMED).join(', ')} and ${left} others`
}
