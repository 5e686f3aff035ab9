import { fieldsOf } from '../fields-of.ts'
import { Float } from '../float.ts'

/** Writes deterministic JSON: keys in order, indented by two spaces; Maps and objects both become objects. */
export function writeJson(value: unknown, indent = ''): string {
  if (value instanceof Float) return value.toString()
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    return (
      enclose(
        '[',
        value.map((item) => writeJson(item, inner)),
        indent,
      ) + ']'
    )
  }
  const fields = fieldsOf(value).map(([key, field]) => `${JSON.stringify(key)}: ${writeJson(field, inner)}`)
  return enclose('{', fields, indent) + '}'
}

function enclose(open: string, parts: readonly string[], indent: string): string {
  return parts.length === 0 ? open : `${open}\n${parts.map((part) => `${indent}  ${part}`).join(',\n')}\n${indent}`
}
