import { type ConnectionRequest, requestKey } from '@davit/connection'
import {
  type Infrastructure,
  type Manifest,
  type Properties,
  type SecretReference,
  secretTextOf,
  type TargetName,
} from '@davit/documents'

import { requestKeyFor } from '../request-for.ts'

/** References to secrets in the containers of the targets of manifests; only of those that a request reaches, if one is given. */
export function referencesIn(manifests: readonly Manifest[], request?: ConnectionRequest): readonly SecretReference[] {
  return manifests.flatMap(({ infrastructure, services, serviceMappings }) => {
    const names = new Set(request === undefined ? infrastructure.keys() : reachedBy(infrastructure, request))
    const placed = serviceMappings.filter(({ target }) => names.has(target)).map(({ service }) => services.get(service))
    const containers = [
      ...[...names].flatMap((name) => infrastructure.get(name)?.containers ?? []),
      ...placed.flatMap((service) => service?.providesContainers ?? []),
    ]
    return containers.flatMap((one) => [...one.values()].flatMap(referencesAmong))
  })
}

/** Targets of an infrastructure that a request reaches. */
export function reachedBy(infrastructure: Infrastructure, request: ConnectionRequest): readonly TargetName[] {
  const key = requestKey(request)
  return [...infrastructure.keys()].filter((name) => requestKeyFor(infrastructure, name) === key)
}

function referencesAmong(properties: Properties): readonly SecretReference[] {
  return [...properties.values()].flatMap((value) =>
    (secretTextOf(value) ?? []).flatMap((part) => (typeof part === 'string' ? [] : [part])),
  )
}
