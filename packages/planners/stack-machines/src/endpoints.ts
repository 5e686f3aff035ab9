import { type BoundValue, type Capability, type Instance, isCapability, publicChildren } from '@davit/stack'
import type { PortsOf } from './ports.ts'

/** A port of a leaf. */
export interface Endpoint {
  readonly leaf: Instance
  readonly port: number
}

export function stackName({ body }: Instance): string {
  return body.name?.text ?? ''
}

export function isAutoscaler(instance: Instance): boolean {
  return instance.body.isIntrinsic && stackName(instance) === 'mu/autoscaler'
}

/** Returns the service that an autoscaler runs several times. */
export function scaledBy(autoscaler: Instance): Capability | undefined {
  const target = autoscaler.properties.get('target')
  return target !== undefined && isCapability(target) ? target : undefined
}

/** Returns the only port that a capability can mean. */
export function endpointOf({ chosen, port }: Capability, portsOf: PortsOf): Endpoint | undefined {
  // Who has a port that was chosen was chosen with it.
  return port === undefined ? onlyEndpointOf(chosen, portsOf) : { leaf: chosen, port }
}

function onlyEndpointOf(instance: Instance, portsOf: PortsOf): Endpoint | undefined {
  if (isAutoscaler(instance)) {
    const target = scaledBy(instance)
    return target && endpointOf(target, portsOf)
  }
  const [only, ...others] = instance.body.isIntrinsic ? portsOf(instance) : publicChildren(instance)
  if (only === undefined || others.length > 0) return undefined
  return typeof only === 'number' ? { leaf: instance, port: only } : onlyEndpointOf(only, portsOf)
}

/** Returns the leaves that a capability stands for: the one that was selected, or else all public ones. */
export function leavesOf({ chosen }: Capability): readonly Instance[] {
  return publicLeavesOf(chosen)
}

function publicLeavesOf(instance: Instance): readonly Instance[] {
  if (isAutoscaler(instance)) {
    const target = scaledBy(instance)
    return target === undefined ? [] : leavesOf(target)
  }
  return instance.body.isIntrinsic ? [instance] : publicChildren(instance).flatMap(publicLeavesOf)
}

/** Returns the members of a property that is a table. */
export function membersOf({ properties }: Instance, name: string): ReadonlyMap<string, BoundValue> {
  const value = properties.get(name)
  return value instanceof Map ? (value as ReadonlyMap<string, BoundValue>) : new Map<string, BoundValue>()
}

/** Returns the elements of a property that is a list of texts. */
export function textsIn({ properties }: Instance, name: string): readonly string[] {
  const value = properties.get(name)
  return Array.isArray(value) ? (value as readonly string[]) : []
}

export function textIn({ properties }: Instance, name: string): string | undefined {
  const value = properties.get(name)
  return typeof value === 'string' ? value : undefined
}
