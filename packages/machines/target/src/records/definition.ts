import { type Manifest, type MappingId, mappingIdOf, type ServiceMapping, type TargetName } from '@davit/documents'
import { DavitError, ExitStatus } from '@davit/diagnostics'

import { encodeField } from '@davit/target-runtime'

import type { ActivityDefinition, ModuleReference } from './activity.ts'
import { containerPropertiesOf } from './container-properties.ts'
import type { Machine } from '../machine.ts'

/** Returns everything that activities of a mapping need. */
export function definitionOf(manifest: Manifest, mapping: ServiceMapping): ActivityDefinition {
  const service = manifest.services.get(mapping.service)
  if (service === undefined) throw missing(mapping, `service '${mapping.service}'`)
  const component = componentsOf(manifest).get(mappingIdOf(mapping))
  return {
    service,
    module: moduleOf(manifest, mapping, service.type),
    ...containerPropertiesOf(manifest, mapping),
    ...(component === undefined ? {} : { component }),
  }
}

const components = new WeakMap<Manifest, ReadonlyMap<MappingId, string>>()

/** Components whose state moves, by their mappings. */
function componentsOf(manifest: Manifest): ReadonlyMap<MappingId, string> {
  const known = components.get(manifest)
  if (known !== undefined) return known
  const found = new Map(manifest.snapshotMappings.map((mapping) => [mappingIdOf(mapping), mapping.component]))
  components.set(manifest, found)
  return found
}

/** Path of the module for a type in the profile of a target; the module may not exist. */
export function profileModuleOf(manifest: Manifest, target: TargetName, type: string): ModuleReference | undefined {
  const profile = manifest.profiles.get(target)
  return profile === undefined ? undefined : `${profile}/modules/${type}`
}

/** Resolves references to executables, as records name them; leaves out those that are not on the machine (yet). */
export async function resolveModules(
  machine: Machine<'deploy' | 'query'>,
  references: readonly ModuleReference[],
): Promise<ReadonlyMap<ModuleReference, string>> {
  const found = await findModules(machine, references)
  return new Map([...found].map(([reference, { path }]) => [reference, path]))
}

export interface FoundModule {
  /** Path of the executable. */
  readonly path: string
  /** Activities that it declares; none if it declares nothing. */
  readonly declared: readonly string[]
}

/** Finds modules on a machine, with what they declare. */
export async function findModules(
  machine: Machine<'deploy' | 'query'>,
  references: readonly ModuleReference[],
): Promise<ReadonlyMap<ModuleReference, FoundModule>> {
  return modulesIn(await askFor(machine, references), references)
}

/** Parses what the operation `resolve` tells of references. */
export function modulesIn(
  lines: readonly string[],
  references: readonly ModuleReference[],
): ReadonlyMap<ModuleReference, FoundModule> {
  return new Map(
    references.flatMap((reference, index): [ModuleReference, FoundModule][] => {
      const [, path, declared = ''] = /^module (\/\S*)(?: (.*))?$/.exec(lines[index] ?? '') ?? []
      return path === undefined ? [] : [[reference, { path, declared: declared.split(' ') }]]
    }),
  )
}

/** `module` if it is missing; `profile` if not even the profile to which it belongs is on the machine. */
export type Lack = 'module' | 'profile'

/** Finds modules that are missing on a machine. */
export async function lackingModules(
  machine: Machine,
  references: readonly ModuleReference[],
): Promise<ReadonlyMap<ModuleReference, Lack>> {
  const lines = await askFor(machine, references)
  return new Map(
    references.flatMap((reference, index): [ModuleReference, Lack][] => {
      const line = lines[index] ?? ''
      if (line.startsWith('module /')) return []
      return [[reference, line === 'module - -' ? 'profile' : 'module']]
    }),
  )
}

/** Refers to the module of this name that Dysnomia has on a machine. */
export function referenceToDysnomia(type: string): ModuleReference {
  return `dysnomia:${type}`
}

async function askFor(
  machine: Machine<'deploy' | 'query'>,
  references: readonly ModuleReference[],
): Promise<readonly string[]> {
  return references.length === 0 ? [] : machine.request('resolve', references.map(encodeField))
}

/** Returns the module for the type in the profile, after the package of the service that provides the container, if one does. */
export function moduleOf(manifest: Manifest, mapping: ServiceMapping, type: string): ModuleReference {
  const module = profileModuleOf(manifest, mapping.target, type)
  if (mapping.containerProvidedByService !== undefined) {
    const provider = manifest.services.get(mapping.containerProvidedByService)
    if (provider === undefined) throw missing(mapping, `the provider '${mapping.containerProvidedByService}'`)
    return module === undefined ? provider.pkg : `${provider.pkg}/${module}`
  }
  if (module === undefined) throw missing(mapping, `a profile for target '${mapping.target}'`)
  return module
}

function missing(mapping: ServiceMapping, what: string): DavitError {
  return new DavitError(
    'dangling-reference',
    `the mapping of '${mapping.service}' on '${mapping.target}' needs ${what}, which the manifest lacks`,
    {
      exitStatus: ExitStatus.badDocument,
    },
  )
}
