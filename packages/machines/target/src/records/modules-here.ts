import { access, readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'

import { DavitError, type Diagnostic, ExitStatus } from '@davit/diagnostics'
import { CLIENT_INTERFACES, type Manifest, type ServiceMapping, type TargetName } from '@davit/documents'

import type { ModuleReference } from './activity.ts'
import { type Lack, moduleOf } from './definition.ts'

/**
 * What this machine knows of a module: that the profile to be sent has it, that it is the one that Dysnomia has on the target, or what is
 * missing here too.
 */
export type KnownModule = 'here' | 'of-dysnomia' | Lack

/** Looks for a module where the coordinator keeps packages, whose paths are the same on all machines. */
export async function moduleHere(reference: ModuleReference): Promise<KnownModule> {
  const slashes = reference.indexOf('//')
  if (slashes < 0) return inProfile(reference)
  const [provider, module] = [reference.slice(0, slashes), reference.slice(slashes + 1)]
  if (!(await exists(provider))) return 'profile'
  return (await exists(join(provider, 'libexec/dysnomia'))) ? 'here' : inProfile(module)
}

async function inProfile(module: string): Promise<KnownModule> {
  if (await exists(module)) return (await declares(module, OF_DYSNOMIA)) ? OF_DYSNOMIA : 'here'
  return (await exists(module.slice(0, module.lastIndexOf('/modules/')))) ? 'module' : 'profile'
}

/** Refuses profiles without the modules of their services, such as those of Disnix: all that are missing at once. */
export async function checkModulesHere(manifest: Manifest): Promise<void> {
  const wanted = wantedModules(manifest)
  const known = await Promise.all(wanted.map(async ({ reference }) => moduleHere(reference)))
  const missing = wanted.filter((_, index) => known[index] === 'module')
  if (missing.length === 0) return
  throw new DavitError('no-module', 'some services cannot be activated', {
    exitStatus: ExitStatus.badDocument,
    diagnostics: missing.map(missingModule),
    hint: "'davit-manifest -D MANIFEST' makes profiles with modules, and prints the manifest to deploy",
  })
}

export interface WantedModule {
  readonly reference: ModuleReference
  readonly target: TargetName
  readonly type: string
  /** Name of the service that provides the container. */
  readonly provider: string | undefined
  /** Names of the services that need it. */
  readonly services: ReadonlySet<string>
}

/**
 * Collects the modules that mappings need, for each target; leaves out targets without a profile, and those that a client executable
 * serves, which has modules of its own.
 */
export function wantedModules(
  manifest: Manifest,
  mappings: readonly ServiceMapping[] = manifest.serviceMappings,
): readonly WantedModule[] {
  const wanted = new Map<string, WantedModule & { readonly services: Set<string> }>()
  for (const mapping of mappings) {
    const service = manifest.services.get(mapping.service)
    const { target, containerProvidedByService: key } = mapping
    if (service === undefined || !usesProfile(manifest, target)) continue
    const reference = moduleOf(manifest, mapping, service.type)
    const provider = key === undefined ? undefined : manifest.services.get(key)?.name
    const known = wanted.get(`${target} ${reference}`)
    if (known !== undefined) known.services.add(service.name)
    else {
      const services = new Set([service.name])
      wanted.set(`${target} ${reference}`, { reference, target, type: service.type, provider, services })
    }
  }
  return [...wanted.values()]
}

function usesProfile({ profiles, infrastructure }: Manifest, target: TargetName): boolean {
  return profiles.has(target) && CLIENT_INTERFACES.has(infrastructure.get(target)?.clientInterface ?? '')
}

/** Describes a module that neither the profile of its target has, nor the package that provides the container. */
export function missingModule({ target, type, provider, services }: WantedModule): Diagnostic {
  const places =
    provider === undefined
      ? `the profile of '${target}' has no module`
      : `neither the package of '${provider}' nor the profile of '${target}' has a module`
  return { severity: 'error', message: `${places} for type '${type}', used by ${quoted(services)}` }
}

function quoted(names: ReadonlySet<string>): string {
  return [...names].map((name) => `'${name}'`).join(', ')
}

const OF_DYSNOMIA = 'of-dysnomia'

async function declares(module: string, line: string): Promise<boolean> {
  const text = await readFile(`${await realpath(module)}.activities`, 'utf8').catch(() => '')
  return text.split('\n').includes(line)
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
