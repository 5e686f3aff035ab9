import type { Manifest } from '@davit/documents'

/** Returns the targets of each service of a manifest, by its name. */
export function deployedPlaces(manifest: Manifest | undefined): ReadonlyMap<string, ReadonlySet<string>> {
  const places = new Map<string, Set<string>>()
  for (const { service: key, target } of manifest?.serviceMappings ?? []) {
    const name = manifest?.services.get(key)?.name
    if (name === undefined) continue
    const targets = places.get(name)
    if (targets === undefined) places.set(name, new Set([target]))
    else targets.add(target)
  }
  return places
}
