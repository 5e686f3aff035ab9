import type { Manifest, ManifestService, Mapping, ServiceName, TargetName } from '@davit/documents'
import { compareText } from '@davit/languages'

/** A service on a target, in whatever version and container. */
export interface Instance {
  readonly service: ServiceName
  readonly target: TargetName
}

/** Identity of an instance; names contain no spaces. */
export type InstanceId = string & { readonly __brand: 'InstanceId' }

export function instanceIdOf({ service, target }: Instance): InstanceId {
  return `${service} ${target}` as InstanceId
}

/** Returns the instances of manifests, each once, by target and service. */
export function instancesOf(manifests: readonly Manifest[]): ReadonlyMap<InstanceId, Instance> {
  const all = manifests.flatMap((manifest) =>
    manifest.serviceMappings.flatMap((mapping) => instanceOf(manifest, mapping) ?? []),
  )
  const sorted = all.toSorted(
    (one, other) => compareText(one.target, other.target) || compareText(one.service, other.service),
  )
  return new Map(sorted.map((instance) => [instanceIdOf(instance), instance]))
}

/** The instance to which a mapping belongs; undefined if the manifest does not contain its service. */
export function instanceOf({ services }: Manifest, { service: key, target }: Mapping): Instance | undefined {
  const service = services.get(key)?.name
  return service === undefined ? undefined : { service, target }
}

/** All that a service refers to, of which the manifest has to contain what the service was made for. */
export function referencesOf({ dependsOn, connectsTo }: ManifestService): readonly Mapping[] {
  return [...dependsOn, ...connectsTo]
}

/** Returns, for each instance, those that refer to it in any of the manifests: they depend on it, are connected to it, or it contains them. */
export function dependantsIn(manifests: readonly Manifest[]): ReadonlyMap<InstanceId, ReadonlySet<InstanceId>> {
  const dependants = new Map<InstanceId, Set<InstanceId>>()
  for (const manifest of manifests) {
    for (const mapping of manifest.serviceMappings) {
      const service = manifest.services.get(mapping.service)
      if (service === undefined) continue
      const own = instanceIdOf({ service: service.name, target: mapping.target })
      const { containerProvidedByService: provider = mapping.service } = mapping
      for (const reference of [...referencesOf(service), { ...mapping, service: provider }]) {
        const instance = instanceOf(manifest, reference)
        if (instance === undefined) continue
        const id = instanceIdOf(instance)
        const known = dependants.get(id) ?? new Set()
        dependants.set(id, known.add(own))
      }
    }
  }
  return dependants
}
