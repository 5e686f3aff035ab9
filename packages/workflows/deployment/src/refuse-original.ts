import { DavitError, ExitStatus, type Message } from '@davit/diagnostics'
import {
  componentIn,
  type ManifestService,
  type Mapping,
  type ProfileManifest,
  type ProfileName,
} from '@davit/documents'
import type { Deployed, OriginalNeighbour } from '@davit/observation'
import { isSamePlace, originalLocked, originalProfile } from '@davit/target'
import { isVerb, startsService, stopsService } from '@davit/target-runtime'
import { activitiesOf, type ActivityKind, type Transition } from '@davit/transition'

import { say } from './messages.ts'

export interface OriginalPlanTerms {
  readonly profile: ProfileName
  /** Whether to start services although Disnix has perhaps started them already. */
  readonly besideOriginal?: boolean | undefined
  /** Whether the profile of Disnix is set as well, which may not be one that davit does not know. */
  readonly originalProfile?: boolean | undefined
}

/**
 * Refuses to start what a deployment of Disnix that was not adopted has started already: the same component, or in a deployment of the
 * same name another version of the service, in the same container of a target. Refuses to stop a service of a deployment of the same
 * name as well: its adoption was cut off. Returns warnings instead if all of this is wanted.
 */
export function refuseOriginal(
  transition: Transition,
  deployed: Pick<Deployed, 'originals' | 'originalLocks' | 'places'>,
  terms: OriginalPlanTerms,
): readonly Message[] {
  const { profile, besideOriginal = false } = terms
  refuseAtWork(deployed, terms)
  if (deployed.originals.length === 0) return []
  const conflicts = activitiesOf(transition)
    .filter(({ kind }) => isVerb(kind))
    .flatMap((activity) => {
      const place = deployed.places.get(activity.mapping.target)
      if (place === undefined) return []
      const there = deployed.originals.filter((one) => isSamePlace(one.machine.facts, place.machine.facts))
      const original = there.find((one) => isOf(one, { ...activity, profile }))
      return original === undefined ? [] : [conflictOf(activity, original)]
    })
  // A service that is replaced is stopped and started.
  const found = [...new Map(conflicts.map((one) => [JSON.stringify(one), one])).values()]
  if (besideOriginal) return found.map(besideIt)
  if (found.length > 0) throw refusal(found)
  return []
}

/** Refuses to work beside Disnix, or to replace what it has deployed. */
function refuseAtWork(
  { originals, originalLocks = new Map() }: Pick<Deployed, 'originals' | 'originalLocks'>,
  { profile, besideOriginal = false, originalProfile: isSet = false }: OriginalPlanTerms,
): void {
  if (originalLocks.size > 0 && !besideOriginal) throw originalLocked(originalLocks)
  const own = originals.find(({ original }) => original.profile === profile)
  if (isSet && own !== undefined) throw unknownProfile(own)
}

/** What davit has not adopted would be in no profile of Disnix any more. */
function unknownProfile({ machine, original: { profile, path } }: OriginalNeighbour): DavitError {
  return new DavitError(
    'original-changed',
    `Disnix has deployed '${path}' as '${profile}' on '${machine.address}', and davit does not know it`,
    {
      exitStatus: ExitStatus.failed,
      hint: `nothing was done; 'davit-adopt -p ${profile} INFRASTRUCTURE' takes it over, with --replace if davit has adopted it before`,
    },
  )
}

interface Starting {
  readonly kind: ActivityKind
  readonly mapping: Mapping
  readonly service: ManifestService
}

/** What cannot be read may contain anything. */
function isOf(
  { original }: OriginalNeighbour,
  { kind, mapping, service, profile }: Starting & { readonly profile: ProfileName },
): boolean {
  const { manifest } = originalProfile(original, mapping.target)
  if (manifest === undefined) return startsService(kind) || original.profile === profile
  const isSameMapping = (one: Mapping) => one.service === mapping.service && one.container === mapping.container
  if (stopsService(kind)) return original.profile === profile && manifest.serviceMappings.some(isSameMapping)
  return servicesIn(manifest, mapping.container).some(
    ({ pkg, name }) =>
      componentIn(pkg) === componentIn(service.pkg) || (original.profile === profile && name === service.name),
  )
}

function servicesIn(manifest: ProfileManifest, container: string): readonly ManifestService[] {
  const placed = manifest.serviceMappings.filter((one) => one.container === container)
  return placed.flatMap(({ service }) => manifest.services.get(service) ?? [])
}

interface Conflict {
  readonly service: string
  readonly target: string
  readonly container: string
  readonly profile: string
  /** Why nobody can tell whether the deployment has the service. */
  readonly problem: string | undefined
}

function conflictOf({ mapping, service }: Starting, { original }: OriginalNeighbour): Conflict {
  const { target, container } = mapping
  const { problem } = originalProfile(original, target)
  return { service: service.name, target, container, profile: original.profile, problem: problem?.message }
}

function refusal(conflicts: readonly Conflict[]): DavitError {
  const profiles = [...new Set(conflicts.map(({ profile }) => profile))]
  return new DavitError('original-deployment', 'Disnix has deployed services that would be started twice, or stopped', {
    exitStatus: ExitStatus.failed,
    fields: { profiles },
    diagnostics: conflicts.map(({ service, container, target, profile, problem }) => ({
      severity: 'error',
      message: `'${service}' in container '${container}' on '${target}' ${foundIn(profile, problem)}`,
    })),
    hint: `nothing was done; ${profiles.map((name) => `'davit-adopt -p ${name} INFRASTRUCTURE'`).join(', ')} takes over what runs; --beside-original starts the services all the same`,
  })
}

function besideIt({ service, target, container, profile }: Conflict): Message {
  return say('beside-original', { service, target, container, profile })
}

function foundIn(profile: string, problem: string | undefined): string {
  const where = `in the deployment '${profile}' of Disnix`
  return problem === undefined ? `is ${where}` : `may be ${where}: ${problem}`
}
