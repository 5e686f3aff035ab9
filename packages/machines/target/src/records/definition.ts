import type { Manifest, ServiceMapping, TargetName } from '@davit/documents'
import { DavitError, ExitStatus } from '@davit/diagnostics'

import { encodeField } from '@davit/target-runtime'

import type { ActivityDefinition, ModuleReference } from './activity.ts'
import { containerPropertiesOf } from './container-properties.ts'
import type { Machine } from '../machine.ts'

/** Returns everything that activities of a mapping need. */
export function definitionOf(manifest: Manifest, mapping: ServiceMapping): ActivityDefinition {
  const service = manifest.services.get(mapping.service)
  if (service === undefined) throw missing(mapping, `service '${mapping.service}'`)
  return {
    service,
    module: moduleOf(manifest, mapping, service.type),
    properties: containerPropertiesOf(manifest, mapping),
  }
}

/** Path of the module for a type in the profile of a target; the module may not exist. */
export function profileModuleOf(manifest: Manifest, target: TargetName, type: string): ModuleReference | undefined {
  const profile = manifest.profiles.get(target)
  return profile === undefined ? undefined : `${profile}/modules/${type}`
}

/** Resolves references to executables, as records name them; leaves out those that are not on the machine (yet). */
export async function resolveModules(
  machine: Machine,
  references: readonly ModuleReference[],
): Promise<ReadonlyMap<ModuleReference, string>> {
  if (references.length === 0) return new Map()
  const lines = await machine.request('resolve', references.map(encodeField))
  return new Map(
    references.flatMap((reference, index): [ModuleReference, string][] => {
      const module = /^module (\/.*)$/.exec(lines[index] ?? '')?.[1]
      return module === undefined ? [] : [[reference, module]]
    }),
  )
}

/** Returns the package of the service that provides the container, or the module for the type in the profile. */
function moduleOf(manifest: Manifest, mapping: ServiceMapping, type: string): string {
  if (mapping.containerProvidedByService !== undefined) {
    const provider = manifest.services.get(mapping.containerProvidedByService)
    if (provider === undefined) throw missing(mapping, `the provider '${mapping.containerProvidedByService}'`)
    return provider.pkg
  }
  const module = profileModuleOf(manifest, mapping.target, type)
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
