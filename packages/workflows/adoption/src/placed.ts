import {
  componentIn,
  type Manifest,
  mappingIdOf,
  type ServiceMapping,
  type StorePath,
  type TargetName,
} from '@davit/documents'
import { grouped } from '@davit/languages'
import type { Component } from '@davit/target'

/** What a manifest places on a target. */
export interface Placed {
  readonly mappings: readonly ServiceMapping[]
  readonly packages: readonly StorePath[]
  /** The components, as Dysnomia names them. */
  readonly components: readonly Component[]
}

const NOTHING: Placed = { mappings: [], packages: [], components: [] }

/** Returns what a manifest places on each target, which is asked for by name. */
export function placedBy(manifest: Manifest): (target: TargetName) => Placed {
  const { services, serviceMappings, snapshotMappings } = manifest
  const named = new Map(snapshotMappings.map((mapping) => [mappingIdOf(mapping), mapping.component]))
  const groups = grouped(serviceMappings, ({ target }) => target)
  const placed = [...groups].map(([target, mappings]): [TargetName, Placed] => {
    const found = mappings.flatMap((mapping) => {
      const pkg = services.get(mapping.service)?.pkg
      if (pkg === undefined) return []
      return [{ pkg, container: mapping.container, component: named.get(mappingIdOf(mapping)) ?? componentIn(pkg) }]
    })
    const components = found.map(({ container, component }) => ({ container, component }))
    return [target, { mappings, components, packages: [...new Set(found.map(({ pkg }) => pkg))] }]
  })
  const table = new Map(placed)
  return (target) => table.get(target) ?? NOTHING
}
