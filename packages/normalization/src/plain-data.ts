import { Float, type Properties, type PropertyValue } from '@davit/documents'

/** What becomes of a number such as `1.0`, which plain data does not tell from `1`. */
export type FloatForm = (float: Float) => unknown

/** Properties as plain JavaScript data: tables are frozen objects without prototype, lists are frozen arrays. */
export function plainTable(properties: Properties, floatForm: FloatForm): object {
  const table: object = Object.create(null)
  for (const [name, value] of properties) {
    Object.defineProperty(table, name, { value: plainValue(value, floatForm), enumerable: true })
  }
  return Object.freeze(table)
}

export function plainValue(value: PropertyValue, floatForm: FloatForm): unknown {
  if (value instanceof Float) return floatForm(value)
  if (value instanceof Map) return plainTable(value, floatForm)
  if (Array.isArray(value)) return Object.freeze(value.map((element: PropertyValue) => plainValue(element, floatForm)))
  return value
}
