import { DavitError, type Report } from '@davit/diagnostics'
import {
  type Manifest,
  mappingIdOf,
  type ProfileName,
  type ServiceMapping,
  type StorePath,
  type TargetName,
} from '@davit/documents'
import {
  abandonRecord,
  adoptRecord,
  adoptState,
  type Component,
  type CopiedSnapshot,
  definitionOf,
  groupByMachine,
  noteOriginal,
  type Observation,
  observeMachine,
  setProfile,
  type ShellTarget,
} from '@davit/target'
import { isSettled } from '@davit/target-runtime'

import type { AdoptionMachines } from './give-back.ts'
import { say } from './messages.ts'
import { type Placed, placedBy } from './placed.ts'
import { type Adoption, refuseLocked } from './read-adoption.ts'

export interface AdoptedService {
  readonly mapping: ServiceMapping
  readonly name: string
  /** `present` if an earlier run has adopted it already. */
  readonly state: 'adopted' | 'present'
}

export interface AdoptedTarget {
  readonly target: TargetName
  /** Profile of Disnix. */
  readonly original: StorePath
  readonly services: readonly AdoptedService[]
  /** Snapshots that were not among those of davit. */
  readonly snapshots: readonly CopiedSnapshot[]
}

export interface AdoptingTerms {
  readonly profile: ProfileName
  readonly token: string
  readonly machines: AdoptionMachines
  readonly mode: 'adopt' | 'dry-run'
  /** Whether records that are not of this deployment are put aside. */
  readonly replace: boolean
  readonly report: Report
  readonly signal: AbortSignal
}

/**
 * Writes what davit knows of a deployment beside what Disnix knows of it. On each target the profile comes first, then the records, and
 * last the note that all of it was adopted: until that is there, the deployment counts as one of Disnix, and can be adopted again.
 */
export async function adoptTargets(
  { manifest, originals }: Adoption,
  targets: readonly ShellTarget[],
  terms: AdoptingTerms,
): Promise<readonly AdoptedTarget[]> {
  const observations = await observedUnchanged(originals, targets, terms)
  const placedOn = placedBy(manifest)
  const chosen = targets.filter(({ name }) => originals.has(name))
  return Promise.all(
    chosen.map(async (target) => {
      const original = originals.get(target.name)?.path as StorePath
      const observation = observations.get(target.name)
      return adoptTarget(manifest, target, { ...terms, original, observation, placed: placedOn(target.name) })
    }),
  )
}

interface TargetTerms extends AdoptingTerms {
  readonly observation: Observation | undefined
  readonly placed: Placed
  readonly original: StorePath
}

async function adoptTarget(manifest: Manifest, target: ShellTarget, terms: TargetTerms): Promise<AdoptedTarget> {
  const { original, mode, machines, profile, token, placed, signal } = terms
  const machine = await machines.on(target)
  const place = { target: target.name, profile, token }
  const path = manifest.profiles.get(target.name)
  if (mode === 'adopt' && path !== undefined) {
    await setProfile(target.machine, { ...place, path, store: manifest.store, generations: 'add' })
    if (terms.replace) await putAside(target, terms)
  }
  signal.throwIfAborted()
  const services = await Promise.all(
    placed.mappings.map(async (mapping): Promise<AdoptedService> => {
      const definition = definitionOf(manifest, mapping)
      const described = { mapping, name: definition.service.name }
      if (mode === 'dry-run') return { ...described, state: 'adopted' }
      return { ...described, state: await adoptRecord(machine, place, { mapping, definition }) }
    }),
  )
  signal.throwIfAborted()
  const { snapshots, unmarked } = await adoptState(machine, { ...place, components: markedBy(manifest, placed) }, mode)
  const doubtful = unmarked.map(({ container, component }) => `${container}/${component}`)
  if (doubtful.length > 0) terms.report(say('not-marked', { target: target.name, components: doubtful }))
  signal.throwIfAborted()
  if (mode === 'adopt') await noteOriginal(machine, { ...place, path: original, components: placed.components })
  return { target: target.name, original, services, snapshots }
}

/** Types of Dysnomia whose modules mark nothing. */
const UNMARKED_TYPES: ReadonlySet<string> = new Set(['echo', 'wrapper', 'nixos-configuration'])

/** The components that Dysnomia marks while they are active. */
function markedBy({ services }: Manifest, { mappings, components }: Placed): readonly Component[] {
  return components.filter((_, index) => {
    const mapping = mappings[index]
    const type = mapping === undefined ? undefined : services.get(mapping.service)?.type
    return type !== undefined && mapping?.containerProvidedByService === undefined && !UNMARKED_TYPES.has(type)
  })
}

/** Puts the records of a target aside that are damaged, or are not settled ones of services of the deployment. */
async function putAside(
  { name: target, machine }: ShellTarget,
  { observation, placed, profile, token, report }: TargetTerms,
): Promise<void> {
  const wanted = new Set(placed.mappings.map(mappingIdOf))
  const obsolete = (observation?.records ?? []).filter(
    ({ mapping, state }) => mapping.target === target && !(wanted.has(mappingIdOf(mapping)) && isSettled(state)),
  )
  const damaged = (observation?.damaged ?? []).filter((one) => one.target === target)
  const asides = [
    ...obsolete.map(({ mapping, service }) => ({ ...mapping, key: mapping.service, name: service.name })),
    ...damaged.map(({ container, key, fields }) => ({ container, key, name: fields.service?.name ?? key })),
  ]
  for (const { container, key, name } of asides) {
    // One after the other, as each holds the target.
    // oxlint-disable-next-line no-await-in-loop
    const record = await abandonRecord(machine, { profile, token, target, container, key })
    report(say('record-put-aside', { target, service: name, record }))
  }
}

/** Observes the machines under the lock of davit: Disnix may still be at work, or have been since. */
async function observedUnchanged(
  originals: Adoption['originals'],
  targets: readonly ShellTarget[],
  { profile, replace }: Pick<AdoptingTerms, 'profile' | 'replace'>,
): Promise<ReadonlyMap<TargetName, Observation>> {
  const observed = await Promise.all(
    groupByMachine(targets).map(async (group): Promise<readonly [TargetName, Observation][]> => {
      const target = group.find(({ name }) => originals.has(name))?.name
      if (target === undefined) return []
      const observation = await observeMachine(group[0].machine, profile, replace ? 'replace' : 'known')
      const now = observation.originals.find((one) => one.profile === profile)
      if (now === undefined || now.path !== originals.get(target)?.path) throw changed(target)
      refuseLocked(new Map([[target, now]]))
      return [[target, observation]]
    }),
  )
  return new Map(observed.flat())
}

function changed(target: TargetName): DavitError {
  return new DavitError(
    'original-changed',
    `what Disnix has deployed on '${target}' has changed meanwhile, or was adopted by somebody else`,
    {
      hint: 'nothing was done; run the same command again',
    },
  )
}
