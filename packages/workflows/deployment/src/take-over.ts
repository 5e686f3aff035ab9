import { DavitError, ExitStatus, type Message } from '@davit/diagnostics'
import type { Manifest, ProfileName } from '@davit/documents'

import type { FoundService } from '@davit/observation'

import { say } from './messages.ts'

/** Terms on which a coordinator may replace a whole deployment by another system. */
export interface Claim {
  readonly profile: ProfileName
  readonly takeOver: boolean
  /** Whether this coordinator has deployed it. */
  readonly isOwn: boolean
}

/**
 * Checks services that next would all remove. Refuses to remove them, since the name may be wrong, or returns a warning if they are to
 * be replaced. If next has even one of the services, it is the same system; of what this coordinator has deployed, the name is enough.
 */
export function takeOver(next: Manifest, found: readonly FoundService[], claim: Claim): readonly Message[] {
  const { profile, isOwn } = claim
  if (found.length === 0 || (isOwn ? !isOther(next, found) : found.some(isIn(next)))) return []
  if (!claim.takeOver) throw refusal(next, found, claim)
  const places = byTarget(found)
  const targets = places.map(([target]) => target)
  const counts = places.map(([, services]) => services.length)
  return [say(isOwn ? 'replacing-own' : 'taking-over', { profile, targets, counts })]
}

/**
 * Whether this coordinator has deployed another system than that of next: both have services, and none of the same name. Who deploys
 * nothing wants to remove what is there.
 */
export function isOther(next: Manifest, deployed: readonly FoundService[]): boolean {
  const names = new Set(servicesOf(next).map(({ name }) => name))
  return deployed.length > 0 && names.size > 0 && !deployed.some(({ name }) => names.has(name))
}

/** The services of a manifest, where it has them. */
export function servicesOf(manifest: Manifest | undefined): readonly FoundService[] {
  return (manifest?.serviceMappings ?? []).flatMap(({ service: key, target }) => {
    const name = manifest?.services.get(key)?.name
    return name === undefined ? [] : [{ target, key, name }]
  })
}

/** Whether next contains a service that was deployed from elsewhere: any version on the same target, or the same version anywhere. */
function isIn(next: Manifest): (found: FoundService) => boolean {
  const keys = new Set(next.serviceMappings.map(({ service }) => service))
  const names = new Set(
    next.serviceMappings.map(({ target, service }) => `${target} ${next.services.get(service)?.name}`),
  )
  return ({ key, target, name }) => keys.has(key) || names.has(`${target} ${name}`)
}

function refusal(next: Manifest, found: readonly FoundService[], { profile, isOwn }: Claim): DavitError {
  const isUndeployment = next.serviceMappings.length === 0 && !isOwn
  const what = isUndeployment ? '' : ', and none of it is in the manifest'
  const ways = isUndeployment
    ? 'undeploy another deployment with -p NAME, or this one with --take-over'
    : 'deploy alongside it under another name with -p NAME, or stop and replace it with --take-over'
  const message = isOwn
    ? `none of what was deployed as '${profile}' is in the manifest, which would stop all of it`
    : `what runs as '${profile}' was not deployed from this coordinator${what}`
  return new DavitError('not-ours', message, {
    exitStatus: ExitStatus.failed,
    diagnostics: byTarget(found).map(([target, services]) => ({
      severity: 'error',
      message: `'${target}' has ${services.length} service${services.length === 1 ? '' : 's'} of '${profile}': ${namesOf(services)}`,
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
