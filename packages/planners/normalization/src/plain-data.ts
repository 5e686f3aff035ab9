import { type Properties, type PropertyValue } from '@davit/documents'
import { Float } from '@davit/languages'
import { listGuard, tableGuard } from './guards.ts'

/** Converts a number such as `1.0`, which plain data does not distinguish from `1`. */
export type FloatForm = (float: Float) => unknown

export interface PlainOptions {
  readonly floatForm: FloatForm
  /** Name in messages, such as `service 'web'`. */
  readonly what: string
}

/** Converts properties to plain JavaScript data: tables become frozen objects, lists frozen arrays, both with guards. */
export function plainTable(properties: Properties, options: PlainOptions): object {
  const table = Object.create(tableGuard(options.what)) as object
  for (const [name, value] of properties) {
    Object.defineProperty(table, name, { value: memberValue(name, value, options), enumerable: true })
  }
  return Object.freeze(table)
}

/** Converts the value of one member; `what` of the options names its owner. */
export function memberValue(name: string, value: PropertyValue, { floatForm, what }: PlainOptions): unknown {
  return plainValue(value, { floatForm, what: `'${name}' of ${what}` })
}

function plainValue(value: PropertyValue, options: PlainOptions): unknown {
  if (value instanceof Float) return options.floatForm(value)
  if (value instanceof Map) return plainTable(value, options)
  if (Array.isArray(value))
    return plainList(
      value.map((element: PropertyValue) => plainValue(element, options)),
      options.what,
    )
  return value
}

export function plainList(elements: unknown[], what: string): readonly unknown[] {
  return Object.freeze(Object.setPrototypeOf(elements, listGuard(what)) as unknown[])
}
