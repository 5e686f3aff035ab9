import { DavitError } from '@davit/diagnostics'
import {
  componentIn,
  type Manifest,
  mappingIdOf,
  type ProfileName,
  type ServiceMapping,
  type StorePath,
  type TargetName,
} from '@davit/documents'
import type { StateMachines } from '@davit/state-runner'
import {
  adoptRecord,
  adoptState,
  type Component,
  type CopiedSnapshot,
  definitionOf,
  groupByMachine,
  noteOriginal,
  observeMachine,
  setProfile,
  type ShellTarget,
} from '@davit/target'

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
  readonly machines: StateMachines
  readonly mode: 'adopt' | 'dry-run'
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
  await refuseChanged(originals, targets, terms)
  const chosen = targets.filter(({ name }) => originals.has(name))
  return Promise.all(
    chosen.map(async (target) => {
      const original = originals.get(target.name)?.path as StorePath
      return adoptTarget(manifest, target, { ...terms, original })
    }),
  )
}

interface TargetTerms extends AdoptingTerms {
  readonly original: StorePath
}

async function adoptTarget(
  manifest: Manifest,
  target: ShellTarget,
  { original, mode, machines, profile, token }: TargetTerms,
): Promise<AdoptedTarget> {
  const machine = await machines.on(target)
  const place = { target: target.name, profile, token }
  const mappings = manifest.serviceMappings.filter((mapping) => mapping.target === target.name)
  const path = manifest.profiles.get(target.name)
  if (mode === 'adopt' && path !== undefined)
    await setProfile(target.machine, { ...place, path, store: manifest.store, generations: 'add' })
  const services = await Promise.all(
    mappings.map(async (mapping): Promise<AdoptedService> => {
      const definition = definitionOf(manifest, mapping)
      const described = { mapping, name: definition.service.name }
      if (mode === 'dry-run') return { ...described, state: 'adopted' }
      return { ...described, state: await adoptRecord(machine, place, { mapping, definition }) }
    }),
  )
  const snapshots = await adoptState(machine, place, mode)
  if (mode === 'adopt')
    await noteOriginal(machine, { ...place, path: original, components: componentsOn(target.name, manifest) })
  return { target: target.name, original, services, snapshots }
}

/** The active components of a target, as Dysnomia names them. */
export function componentsOn(
  target: TargetName,
  { services, serviceMappings, snapshotMappings }: Manifest,
): readonly Component[] {
  const named = new Map(snapshotMappings.map((mapping) => [mappingIdOf(mapping), mapping.component]))
  return serviceMappings
    .filter((mapping) => mapping.target === target)
    .map((mapping) => ({
      container: mapping.container,
      component: named.get(mappingIdOf(mapping)) ?? componentIn(services.get(mapping.service)?.pkg ?? ''),
    }))
}

/** Under the lock of davit, Disnix may still be at work. */
async function refuseChanged(
  originals: Adoption['originals'],
  targets: readonly ShellTarget[],
  { profile }: Pick<AdoptingTerms, 'profile'>,
): Promise<void> {
  await Promise.all(
    groupByMachine(targets).map(async (group) => {
      const now = (await observeMachine(group[0].machine, profile)).originals.find((one) => one.profile === profile)
      const target = group.find(({ name }) => originals.has(name))?.name
      if (target === undefined) return
      if (now === undefined || now.path !== originals.get(target)?.path) throw changed(target)
      refuseLocked(new Map([[target, now]]))
    }),
  )
}

function changed(target: TargetName): DavitError {
  return new DavitError('original-changed', `what Disnix has deployed on '${target}' has changed meanwhile`, {
    hint: 'nothing was done; run the same command again',
  })
}
