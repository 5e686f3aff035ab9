import { type BoundValue, isCapability } from '@davit/stack'

/** Turns a value into data for a model: tables lose members without value, which models do not know. */
export function dataOf(value: BoundValue): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Map) {
    const members = [...(value as ReadonlyMap<string, BoundValue>)]
    return new Map(members.flatMap(([key, member]) => (member === null ? [] : [[key, dataOf(member)] as const])))
  }
  return isCapability(value) ? value.chosen.fqn : (value as readonly BoundValue[]).map(dataOf)
}

/** The text of a value in an environment: lists and tables are JSON, in the order in which they are written. */
export function environmentText(value: BoundValue): string {
  if (value === null) return ''
  return typeof value === 'object' ? jsonOf(value) : String(value)
}

/** Writes a value as JSON; a service is its name. */
export function jsonOf(value: BoundValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (value instanceof Map) {
    const members = [...(value as ReadonlyMap<string, BoundValue>)]
    return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${jsonOf(member)}`).join()}}`
  }
  if (isCapability(value)) return JSON.stringify(value.chosen.fqn)
  return `[${(value as readonly BoundValue[]).map(jsonOf).join()}]`
}
