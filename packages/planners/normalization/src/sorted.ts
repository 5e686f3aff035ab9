import type { Properties, PropertyValue } from '@davit/documents'
import { compareText } from '@davit/languages'

export function sortedEntries<Key extends string, Value>(table: ReadonlyMap<Key, Value>): [Key, Value][] {
  return [...table].sort(([left], [right]) => compareText(left, right))
}

export function sortedMap<Key extends string, Value, Result>(
  table: ReadonlyMap<Key, Value>,
  change: (value: Value, key: Key) => Result,
): Map<Key, Result> {
  return new Map(sortedEntries(table).map(([key, value]) => [key, change(value, key)]))
}

/** Orders names at every depth, so that the order in a user's file has no effect. */
export function sortedProperties(properties: Properties): Properties {
  return sortedMap(properties, sortedValue)
}

function sortedValue(value: PropertyValue): PropertyValue {
  if (value instanceof Map) return sortedProperties(value)
  return isList(value) ? value.map(sortedValue) : value
}

function isList(value: PropertyValue): value is readonly PropertyValue[] {
  return Array.isArray(value)
}
