import type { Message } from '@davit/diagnostics'
import { type Manifest, mappingIdOf, type ProfileManifest, type ProfileName } from '@davit/documents'
import { definitionOf, isTakenOver, readInstalled, type ShellTarget } from '@davit/target'

import type { DeployedMapping } from './deployed.ts'
import { say } from './messages.ts'

export interface InstalledTerms {
  readonly next: Manifest
  readonly profile: ProfileName
  /** What the records have. */
  readonly recorded: readonly DeployedMapping[]
}

export interface Installed {
  readonly observed: readonly DeployedMapping[]
  readonly asked: readonly ShellTarget[]
  readonly warnings: readonly Message[]
}

/**
 * Returns what client executables say is deployed on their targets, and davit has not taken over yet. Somebody else has activated it, since
 * davit takes over everything before it begins there.
 */
export async function installedOn(targets: readonly ShellTarget[], terms: InstalledTerms): Promise<Installed> {
  const asked = targets.filter(({ machine }) => !isTakenOver(machine, terms.profile))
  const found = await Promise.all(asked.map((target) => installedOnOne(target, terms)))
  const warnings = found.flatMap((observed, index) => {
    const target = asked[index]?.name ?? ''
    return observed.length === 0
      ? []
      : [say('taken-over', { target, services: observed.map(({ service }) => service.name) })]
  })
  return { observed: found.flat(), asked, warnings }
}

async function installedOnOne(
  { name: target, machine }: ShellTarget,
  { next, profile, recorded }: InstalledTerms,
): Promise<readonly DeployedMapping[]> {
  const installed = await readInstalled(machine, { target, profile })
  const known = new Set(recorded.map(({ mapping }) => mappingIdOf(mapping)))
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
