import * as v from 'valibot'

/** A number that was written with a fraction although it is whole, such as `1.0`: other numbers know by themselves what they are. */
export class Float {
  readonly value: number

  constructor(value: number) {
    this.value = value
  }

  toString(): string {
    return Number.isInteger(this.value) ? this.value.toFixed(1) : String(this.value)
  }
}

/** Free-form data of models: containers' and targets' properties. `null` does not exist in it. */
export type PropertyValue = string | number | boolean | Float | readonly PropertyValue[] | Properties
export type Properties = ReadonlyMap<string, PropertyValue>

export const propertyValue: v.GenericSchema<unknown, PropertyValue> = v.union(
  [
    v.string(),
    v.pipe(v.number(), v.finite()),
    v.boolean(),
    v.instance(Float),
    v.lazy(() => v.array(propertyValue)),
    v.lazy(() => properties),
  ],
  'expected text, a number, true or false, a list or a table',
)

/** A table keyed by names: any record, or a Map, becomes a Map, so that names such as `__proto__` are names. */
export const table = <Key extends string, Value>(
  key: v.GenericSchema<unknown, Key>,
  value: v.GenericSchema<unknown, Value>,
): v.GenericSchema<unknown, ReadonlyMap<Key, Value>> =>
  v.pipe(
    v.custom<object>((input) => isRecord(input), 'expected a table'),
    v.transform((record): Map<unknown, unknown> => (record instanceof Map ? record : new Map(Object.entries(record)))),
    v.map(key, value),
  )

export const properties: v.GenericSchema<unknown, Properties> = table(v.string(), v.lazy(() => propertyValue))

function isRecord(input: unknown): boolean {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return false
  const prototype: unknown = Object.getPrototypeOf(input)
  return input instanceof Map || prototype === null || prototype === Object.prototype
}
