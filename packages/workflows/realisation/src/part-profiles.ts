import { DavitError, quoted } from '@davit/diagnostics'
import { encodeDocument, type Manifest, ProfileManifest, type StorePath, type TargetName } from '@davit/documents'
import { byName } from '@davit/languages'
import { type Instance, instanceOf } from '@davit/selection'
import type { ProfileContents, Store } from '@davit/store'

import { linkedPackages } from './profile/linked-packages.ts'
import { modulesIn, packagesIn } from './profile/links-in.ts'
import { profileManifests } from './profile/profile-manifests.ts'

export interface PartTerms {
  readonly next: Manifest
  readonly current: Manifest
  readonly isSelected: (instance: Instance) => boolean
  readonly openStore: () => Promise<Store>
}

/**
 * Makes the profiles of targets of a part on which only some services are selected: each has the packages of its own and the modules that it
 * has, those that the selected services need besides, and a profile manifest that says what will be there.
 */
export async function withPartProfiles(
  part: Manifest,
  mixed: readonly TargetName[],
  terms: PartTerms,
): Promise<Manifest> {
  if (mixed.length === 0) return part
  const own = new Map(await Promise.all(mixed.map(async (name) => [name, await ownPackages(name, terms)] as const)))
  const placed = part.serviceMappings.flatMap(({ target, service: key }) => {
    const service = part.services.get(key)
    return service === undefined ? [] : [{ target, service: service.name, pkg: service.pkg }]
  })
  const packages = linkedPackages(part, placed, (name) => own.get(name) ?? [])
  const parts = profileManifests(part, packages)
  const nothing: ProfileManifest = { services: new Map(), serviceMappings: [], snapshotMappings: [] }
  const contents = mixed.map(async (name): Promise<ProfileContents> => ({
    name: name.slice(0, 100),
    packages: packages.get(name) ?? [],
    profileManifest: encodeDocument(ProfileManifest.on(name), parts.get(name) ?? nothing, 'xml'),
    modules: await modulesFor(name, part, terms),
  }))
  const paths = await (await terms.openStore()).addProfiles(await Promise.all(contents))
  const made = mixed.map((name, index) => [name, paths[index] as StorePath] as const)
  return { ...part, profiles: new Map([...part.profiles, ...made].toSorted(byName)) }
}

/** Packages of the current profile of a target that do not belong to its services. */
async function ownPackages(name: TargetName, { current }: PartTerms): Promise<readonly StorePath[]> {
  const profile = current.profiles.get(name)
  if (profile === undefined) return []
  const packages = await packagesIn(profile)
  if (packages === undefined) throw notHere(name, profile)
  const placed = current.serviceMappings.filter(({ target }) => target === name)
  const ofServices = new Set(placed.map(({ service }) => current.services.get(service)?.pkg))
  return packages.filter((path) => !ofServices.has(path))
}

/** Whoever is left out keeps the module that it has. */
async function modulesFor(
  name: TargetName,
  part: Manifest,
  { next, current, isSelected }: PartTerms,
): Promise<ReadonlyMap<string, StorePath>> {
  const [now, before] = await Promise.all([next, current].map(({ profiles }) => modulesOf(profiles.get(name))))
  const here = part.serviceMappings.filter(({ target }) => target === name)
  const typesOf = (mappings: typeof here) => mappings.flatMap(({ service }) => part.services.get(service)?.type ?? [])
  const kept = new Set(
    typesOf(
      here.filter((mapping) => {
        const instance = instanceOf(part, mapping)
        return instance !== undefined && !isSelected(instance)
      }),
    ),
  )
  const types = [...new Set(typesOf(here))].toSorted()
  return new Map(
    types.flatMap((type) => {
      const module = (kept.has(type) ? before : now)?.get(type)
      return module === undefined ? [] : [[type, module] as const]
    }),
  )
}

async function modulesOf(profile: StorePath | undefined): Promise<ReadonlyMap<string, StorePath>> {
  return profile === undefined ? new Map() : modulesIn(profile)
}

function notHere(name: TargetName, profile: StorePath): DavitError {
  return new DavitError(
    'part-refused',
    `the profile of ${quoted(name)} is not on this machine, or not one of davit: '${profile}'`,
    {
      hint: `nothing was done; select the whole target: --on ${name}`,
    },
  )
}
