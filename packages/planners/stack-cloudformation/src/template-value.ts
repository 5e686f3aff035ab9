import type { Place } from '@davit/diagnostics'
import { type BoundValue, type Capability, type Instance, isCapability, publicChildren } from '@davit/stack'
import type { Template } from './emitter.ts'

/** A place in a template to which a value goes. */
export interface Slot {
  readonly template: Template
  /** Where problems with the value are reported. */
  readonly place: Place
}

/** Turns a bound value into a value of a template. */
export function templateValue(value: BoundValue, slot: Slot): unknown {
  if (value === null) return refuse('a template cannot hold null', slot, 'Leave the property out.')
  if (typeof value !== 'object') return value
  if (isCapability(value)) return referenceTo(value, slot)
  if (!(value instanceof Map)) return (value as readonly BoundValue[]).map((item) => templateValue(item, slot))
  const members = [...(value as ReadonlyMap<string, BoundValue>)]
  return new Map(members.map(([key, member]) => [key, templateValue(member, slot)]))
}

function referenceTo(capability: Capability, slot: Slot): unknown {
  const id = idOf(capability, slot)
  return id === undefined ? undefined : { Ref: id }
}

/** Returns the logical id of the resource that a capability stands for; undefined if there is none, which has been reported. */
export function idOf({ chosen }: Capability, slot: Slot): string | undefined {
  let leaf: Instance = chosen
  while (!leaf.body.isIntrinsic) {
    const [only, another] = publicChildren(leaf)
    if (only === undefined || another !== undefined) {
      const count = only === undefined ? 'no public service' : 'several public services'
      refuse(`'${chosen.fqn}' is not one resource: '${leaf.fqn}' has ${count}`, slot)
      return undefined
    }
    leaf = only
  }
  return slot.template.ids.get(leaf)
}

function refuse(message: string, { template, place }: Slot, hint?: string): undefined {
  template.report('MU10000', [], { message, place, hint })
}
