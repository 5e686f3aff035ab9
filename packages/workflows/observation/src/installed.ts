import type { Message } from '@davit/diagnostics'
import { type Manifest, mappingIdOf, type ProfileManifest, type ProfileName, type TargetName } from '@davit/documents'
import { definitionOf, isTakenOver, readInstalled, type ShellTarget } from '@davit/target'

import type { Deployed, DeployedMapping } from './deployed.ts'
import { say } from './messages.ts'

export interface InstalledTerms {
  readonly next: Manifest
  readonly profile: ProfileName
}

/**
 * Adds what client executables say is deployed on their targets, and davit has not taken over yet. Somebody else has activated it, since
 * davit takes over everything before it begins there.
 */
export async function withInstalled(
  deployed: Deployed,
  targets: readonly ShellTarget[],
  terms: InstalledTerms,
): Promise<Deployed> {
  const asked = targets.filter(({ machine }) => !isTakenOver(machine, terms.profile))
  if (asked.length === 0) return deployed
  const found = await Promise.all(asked.map((target) => installedOn(target, deployed, terms)))
  const installed = found.flat()
  const isBlank = (name: TargetName) => installed.every(({ mapping }) => mapping.target !== name)
  return {
    ...deployed,
    observed: [...deployed.observed, ...installed],
    asked,
    blank: new Set([...deployed.blank].filter(isBlank)),
    warnings: [...asked.flatMap((target, index) => remarksOn(target, found[index])), ...deployed.warnings],
  }
}

function remarksOn({ name: target, machine }: ShellTarget, found: readonly DeployedMapping[] = []): readonly Message[] {
  const limits = say('client-limits', { target, executable: machine.client?.executable ?? '' })
  const services = found.map(({ service }) => service.name)
  return services.length === 0 ? [limits] : [limits, say('taken-over', { target, services })]
}

async function installedOn(
  { name: target, machine }: ShellTarget,
  { observed }: Deployed,
  { next, profile }: InstalledTerms,
): Promise<readonly DeployedMapping[]> {
  const installed = await readInstalled(machine, { target, profile })
  const known = new Set(observed.map(({ mapping }) => mappingIdOf(mapping)))
  const unknown = installed?.serviceMappings.filter((mapping) => !known.has(mappingIdOf(mapping))) ?? []
  return installed === undefined ? [] : unknown.map((mapping) => activeAs(manifestOf(installed, next), mapping))
}

/** The infrastructure is as now: a profile manifest has none. */
function manifestOf({ services, serviceMappings, snapshotMappings }: ProfileManifest, next: Manifest): Manifest {
  return { ...next, services: new Map([...next.services, ...services]), serviceMappings, snapshotMappings }
}

function activeAs(manifest: Manifest, mapping: Manifest['serviceMappings'][number]): DeployedMapping {
  const definition = definitionOf(manifest, mapping)
  const { service, component } = definition
  const moving = component === undefined ? {} : { component }
  return { mapping, service, definition, ...moving, state: 'active', running: false, isInstalled: true }
}
