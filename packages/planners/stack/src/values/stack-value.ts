import type { Written } from '@davit/languages'

/** A value in a stack file without its places. Tables are Maps, so that `__proto__` is a key like any other. */
export type StackValue = null | boolean | number | string | readonly StackValue[] | ReadonlyMap<string, StackValue>

export function valueOf(written: Written): StackValue {
  switch (written.kind) {
    case 'scalar':
      return written.value
    case 'list':
      return written.items.map(valueOf)
    case 'table':
      return new Map([...written.members].map(([key, member]) => [key, valueOf(member)]))
  }
}

/** What a value is, in the words of types. */
export function kindOf(written: Written): 'string' | 'number' | 'bool' | 'list' | 'map' | 'null' {
  if (written.kind === 'list') return 'list'
  if (written.kind === 'table') return 'map'
  if (written.value === null) return 'null'
  return KINDS[typeof written.value as keyof typeof KINDS]
}

const KINDS = { string: 'string', number: 'number', boolean: 'bool' } as const

/** Compares as JSON: the order of keys makes no difference. */
export function isEqual(left: StackValue, right: StackValue): boolean {
  return keyOfValue(left) === keyOfValue(right)
}

/** Returns a text that is the same for equal values only. */
export function keyOfValue(value: StackValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (!(value instanceof Map)) return `[${(value as readonly StackValue[]).map(keyOfValue).join()}]`
  const members = [...(value as ReadonlyMap<string, StackValue>)]
  return `{${members
    .map(([key, member]) => `${JSON.stringify(key)}:${keyOfValue(member)}`)
    .sort()
    .join()}}`
}

/** Turns Maps into objects, for subjects of findings; `__proto__` becomes an own property. */
export function plainOf(value: StackValue): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (!(value instanceof Map)) return (value as readonly StackValue[]).map(plainOf)
  const members = [...(value as ReadonlyMap<string, StackValue>)]
  return Object.fromEntries(members.map(([key, member]) => [key, plainOf(member)]))
}
