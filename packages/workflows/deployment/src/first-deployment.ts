import { type DeploymentPlace, isKnown, otherDeployments, readWanted } from '@davit/coordinator-state'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { Manifest, ProfileName } from '@davit/documents'
import type { ShellTarget } from '@davit/target'

import { findDeployed, type Found, type FoundService } from '@davit/observation'
import { type Claim, isOther, servicesOf, takeOver } from './take-over.ts'

export interface FirstTerms extends Claim {
  readonly place: DeploymentPlace
  /** Whether the manifest undeploys everything, so that there must be something to undeploy. */
  readonly undeploy: boolean
}

export interface StrangeTerms extends Omit<FirstTerms, 'isOwn'> {
  /** Manifest of the last generation. */
  readonly previous: Manifest | undefined
}

/**
 * Returns the terms on which a manifest replaces what is there if that may be another system: where this coordinator has never deployed
 * anything under the name, or has forgotten it, or what it has deployed shares nothing with next. Throws `not-ours` in the last case,
 * unless it is to be taken over.
 */
export async function onFirst(next: Manifest, { previous, ...terms }: StrangeTerms): Promise<FirstTerms | undefined> {
  const { place, undeploy } = terms
  if (!(await isKnown(place))) return { ...terms, isOwn: false }
  const found = undeploy ? [] : await replacedOf(next, previous, place)
  if (found.length === 0) return undefined
  const own = { ...terms, isOwn: true }
  takeOver(next, found, own)
  return own
}

/** The services of what this coordinator has deployed, or has begun to deploy, if next has none of them. */
async function replacedOf(
  next: Manifest,
  previous: Manifest | undefined,
  place: DeploymentPlace,
): Promise<readonly FoundService[]> {
  const deployed = servicesOf(previous)
  if (deployed.length > 0 && !isOther(next, deployed)) return []
  // A run that was cut off may have taken over already, and is repeated.
  const begun = servicesOf((await readWanted(place).catch(unlessDamaged))?.manifest)
  if (begun.length > 0 && !isOther(next, begun)) return []
  return deployed.length > 0 ? deployed : begun
}

/** A damaged record says nothing, and is replaced by the run. */
function unlessDamaged(error: unknown): undefined {
  if (error instanceof DavitError) return undefined
  throw error
}

/** Refuses, before anything is locked or written, a manifest that may be meant for a deployment of another name. */
export async function refuseStrange(
  next: Manifest,
  targets: readonly ShellTarget[],
  first: FirstTerms | undefined,
): Promise<void> {
  if (first === undefined || first.isOwn) return
  const { place, profile, undeploy, ...claim } = first
  const found = await findDeployed(targets, profile)
  if (undeploy && !found.profiles.has(profile)) throw await nothingToUndeploy(place, profile, found)
  takeOver(next, found.services, { profile, ...claim })
}

async function nothingToUndeploy(place: DeploymentPlace, profile: ProfileName, { profiles }: Found) {
  const known = [
    ...named('the targets have', [...profiles].toSorted()),
    ...named('this coordinator has deployed', await otherDeployments(place)),
  ]
  const names = known.length === 0 ? 'there is no deployment of another name either' : known.join(', ')
  const message = `nothing to undeploy: nothing has been deployed as '${profile}' from this coordinator or to these targets`
  return new DavitError('no-deployment', message, {
    exitStatus: ExitStatus.failed,
    hint: `nothing was done; ${names}${known.length === 0 ? '' : '; undeploy one of them with -p NAME'}`,
  })
}

function named(where: string, names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [`${where} ${names.map((name) => `'${name}'`).join(', ')}`]
}
