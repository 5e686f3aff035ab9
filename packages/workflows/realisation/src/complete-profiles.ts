import { access } from 'node:fs/promises'
import { join } from 'node:path'

import type { Report } from '@davit/diagnostics'
import { encodeDocument, type Manifest, ProfileManifest, type StorePath, type TargetName } from '@davit/documents'
import type { LifecycleModule } from '@davit/modules'
import type { Store } from '@davit/store'

import { say } from './messages.ts'
import { addModules } from './profile/add-modules.ts'
import { chosenModules, lackingTypes, type TypesByTarget } from './profile/lacking-types.ts'
import { modulesIn } from './profile/links-in.ts'
import { profileManifests } from './profile/profile-manifests.ts'

export interface CompletionTerms {
  readonly modules: ReadonlyMap<string, LifecycleModule>
  /** Opens the store of the manifest, which is not needed if nothing has to be made. */
  readonly openStore: () => Promise<Store>
  readonly report: Report
}

/**
 * Makes profiles anew that lack modules, as all of Disnix do: each keeps what it has, and gets the modules of davit or, for other types,
 * those that Dysnomia has to have on the target. Returns the manifest with these profiles. Profiles that are not on this machine stay.
 */
export async function completeProfiles(manifest: Manifest, terms: CompletionTerms): Promise<Manifest> {
  const missing = await missingTypes(manifest, terms)
  if (missing.size === 0) return manifest
  const store = await terms.openStore()
  const added = await addModules(chosenModules(missing, terms.modules), store)
  const installed = await installedWith(manifest, [...missing.keys()], store)
  const parts = profileManifests(manifest, installed)
  const nothing: ProfileManifest = { services: new Map(), serviceMappings: [], snapshotMappings: [] }
  const contents = [...missing].map(async ([target, own]) => {
    const given = manifest.profiles.get(target) as StorePath
    return {
      name: target.slice(0, 100),
      packages: [given],
      profileManifest: encodeDocument(ProfileManifest.on(target), parts.get(target) ?? nothing, 'xml'),
      modules: new Map([...(await modulesIn(given)), ...[...added].filter(([type]) => own.includes(type))]),
    }
  })
  const paths = await store.addProfiles(await Promise.all(contents))
  tellOf(missing, terms)
  const made = [...missing.keys()].map((target, index) => [target, paths[index] as StorePath] as const)
  return { ...manifest, profiles: new Map([...manifest.profiles, ...made]) }
}

/** Types whose modules profiles on this machine lack. An undeployment gets every module, in case a recorded one cannot stop its services. */
async function missingTypes(manifest: Manifest, { modules }: CompletionTerms): Promise<TypesByTarget> {
  if (manifest.services.size === 0) return typesForUndeployment(manifest, [...modules.keys()].toSorted())
  return lackingTypes(manifest, (known) => known === 'module')
}

async function typesForUndeployment({ profiles }: Manifest, types: readonly string[]): Promise<TypesByTarget> {
  const found = [...profiles].map(async ([target, profile]) => {
    const isBare = (await exists(profile)) && !(await exists(join(profile, 'modules')))
    return isBare ? [[target, types] as const] : []
  })
  return new Map((await Promise.all(found)).flat())
}

/** The packages on each target, for services that are installed there without being activated. */
async function installedWith(
  { profiles, services, serviceMappings }: Manifest,
  targets: readonly TargetName[],
  store: Store,
) {
  const active = new Set(serviceMappings.map(({ service }) => service))
  if ([...services.keys()].every((key) => active.has(key))) return new Map<TargetName, readonly StorePath[]>()
  const closures = targets.map(async (target) => {
    return [target, await store.closure([profiles.get(target) as StorePath])] as const
  })
  return new Map(await Promise.all(closures))
}

function tellOf(missing: TypesByTarget, { modules, report }: CompletionTerms): void {
  const types = [...new Set([...missing.values()].flat())].toSorted()
  report(
    say('modules-added', {
      targets: [...missing.keys()],
      modules: types.filter((type) => modules.has(type)),
      ofDysnomia: types.filter((type) => !modules.has(type)),
    }),
  )
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
