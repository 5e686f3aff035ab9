import { byName, Float, nameOfCharacter, NOT_XML } from '@davit/languages'
import * as v from 'valibot'

/** Free-form data of models, such as the properties of containers and targets. There is no `null`. */
export type PropertyValue = string | number | boolean | Float | readonly PropertyValue[] | Properties
export type Properties = ReadonlyMap<string, PropertyValue>

/** Negative zero becomes zero. */
const exactNumber = v.pipe(
  v.number(),
  v.check(
    (value) => Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value)),
    'expected a number that can be stored exactly',
  ),
  v.transform((value) => value + 0),
)

/** Text without characters that cannot occur in XML 1.0 (such as NUL), so that every document has both forms and modules get the exact text. */
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

/** A table: any record or Map becomes a Map in order of names, so that `__proto__` is a name like any other. */
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

function entriesOf(record: object): [string, unknown][] {
  return record instanceof Map ? [...(record as ReadonlyMap<string, unknown>)] : Object.entries(record)
}

function isRecord(input: unknown): boolean {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return false
  const prototype: unknown = Object.getPrototypeOf(input)
  return input instanceof Map || prototype === null || prototype === Object.prototype
}
