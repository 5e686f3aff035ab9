import type { ConnectionRequest } from '@davit/connection'
import {
  type Infrastructure,
  type Manifest,
  type Properties,
  type SecretReference,
  secretTextOf,
  type Target,
} from '@davit/documents'

import { addressOf } from '../address.ts'

/** References to secrets in the containers of the targets of manifests; only of those with an address, if one is given. */
export function referencesIn(manifests: readonly Manifest[], address?: ConnectionRequest): readonly SecretReference[] {
  return manifests.flatMap(({ infrastructure, services, serviceMappings }) => {
    const targets = [...infrastructure].filter(([, target]) => address === undefined || isAt(target, address))
    const names = new Set(targets.map(([name]) => name))
    const placed = serviceMappings.filter(({ target }) => names.has(target)).map(({ service }) => services.get(service))
    const containers = [
      ...targets.map(([, target]) => target.containers),
      ...placed.flatMap((service) => service?.providesContainers ?? []),
    ]
    return containers.flatMap((one) => [...one.values()].flatMap(referencesAmong))
  })
}

/** Whether one of the targets has an address. */
export function isAtSome(infrastructure: Infrastructure, address: ConnectionRequest): boolean {
  return [...infrastructure.values()].some((target) => isAt(target, address))
}

function isAt(target: Target, address: ConnectionRequest): boolean {
  try {
    return JSON.stringify(addressOf(target)) === JSON.stringify(address)
  } catch {
    // It has none, so it is not reached either.
    return false
  }
}

function referencesAmong(properties: Properties): readonly SecretReference[] {
  return [...properties.values()].flatMap((value) =>
    (secretTextOf(value) ?? []).flatMap((part) => (typeof part === 'string' ? [] : [part])),
  )
}
