import { isDeepStrictEqual } from 'node:util'

import { type Manifest, mappingIdOf, type TargetName } from '@davit/documents'
import { compareText, grouped } from '@davit/languages'

import { instanceOf } from './instances.ts'
import { isSelected, type Selection, selectedTargets } from './select.ts'

interface Deployed {
  /** Undefined before the first deployment. */
  readonly current: Manifest | undefined
  readonly selection: Selection
}

/** Targets of which a manifest says something else than the current one, of what is not selected there. */
export function differsOutside(manifest: Manifest, { current, selection }: Deployed): readonly TargetName[] {
  const touched = selectedTargets(selection)
  const after = outside(manifest, selection)
  const before = current === undefined ? new Map() : outside(current, selection)
  const names = new Set([...manifest.infrastructure.keys(), ...(current?.infrastructure.keys() ?? [])])
  return [...names]
    .filter((name) => {
      const isSameProfile = touched.has(name) || manifest.profiles.get(name) === current?.profiles.get(name)
      return !isSameProfile || !isDeepStrictEqual(after.get(name), before.get(name))
    })
    .toSorted()
}

/** The services on each target that are not selected, with what the manifest says of them, in order of their identities. */
function outside(manifest: Manifest, selection: Selection): ReadonlyMap<TargetName, unknown> {
  const { serviceMappings, services } = manifest
  const left = serviceMappings.filter((mapping) => {
    const instance = instanceOf(manifest, mapping)
    return instance !== undefined && !isSelected(selection, instance)
  })
  const described = left
    .map((mapping) => ({ id: mappingIdOf(mapping), mapping, service: services.get(mapping.service) }))
    .toSorted((one, other) => compareText(one.id, other.id))
  return grouped(described, ({ mapping }) => mapping.target)
}
