import * as v from 'valibot'
import { nameOfCharacter, NOT_XML } from './xml/xml-element.ts'

/** A number that was written with a fraction although it is whole, such as `1.0`: other numbers know by themselves what they are. */
export class Float {
  readonly value: number

  /** Negative zero becomes zero. */
  constructor(value: number) {
    this.value = value + 0
  }

  toString(): string {
    return Number.isInteger(this.value) ? this.value.toFixed(1) : String(this.value)
  }
}

/** Free-form data of models: containers' and targets' properties. `null` does not exist in it. */
export type PropertyValue = string | number | boolean | Float | readonly PropertyValue[] | Properties
export type Properties = ReadonlyMap<string, PropertyValue>

/** Negative zero becomes zero. */
const exactNumber = v.pipe(
  v.number(),
  v.check(
    (value) => Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value)),
    'expected a number that is exact',
  ),
  v.transform((value) => value + 0),
)

/** What XML 1.0 can carry, so that every document has both forms, and modules get what was written: no NUL, no half of a pair. */
export const text = v.pipe(
  v.string(),
  v.check(
    (value) => !NOT_XML.test(value),
    ({ input }) => `expected text without character ${nameOfCharacter(NOT_XML.exec(input)?.[0] ?? '')}`,
  ),
)

const scalar = v.union(
  [text, exactNumber, v.boolean(), v.instance(Float)],
  'expected text, a number, true or false, a list or a table',
)

export const propertyValue: v.GenericSchema<unknown, PropertyValue> = v.lazy(
  (input): v.GenericSchema<unknown, PropertyValue> => {
    if (Array.isArray(input)) return list(propertyValue)
    return isRecord(input) ? properties : scalar
  },
)

/** A table keyed by names: any record, or a Map, becomes a Map in order of names, so that names such as `__proto__` are names. */
export const table = <Key extends string, Value>(
  key: v.GenericSchema<unknown, Key>,
  value: v.GenericSchema<unknown, Value>,
): v.GenericSchema<unknown, ReadonlyMap<Key, Value>> =>
  v.pipe(
    v.custom<object>((input) => isRecord(input), 'expected a table'),
    v.transform((record) => new Map<unknown, unknown>(entriesOf(record).toSorted(byName))),
    v.map(key, value),
  )

export const list = <Item>(item: v.GenericSchema<unknown, Item>): v.GenericSchema<unknown, readonly Item[]> =>
  v.array(item)

export const properties: v.GenericSchema<unknown, Properties> = table(
  text,
  v.lazy(() => propertyValue),
)

/** Compares entries of tables: by UTF-16 units of their names. */
export function byName([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}

function entriesOf(record: object): [string, unknown][] {
  return record instanceof Map ? [...(record as ReadonlyMap<string, unknown>)] : Object.entries(record)
}

function isRecord(input: unknown): boolean {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return false
  const prototype: unknown = Object.getPrototypeOf(input)
  return input instanceof Map || prototype === null || prototype === Object.prototype
}
