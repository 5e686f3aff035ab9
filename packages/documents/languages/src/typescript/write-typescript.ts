import { fieldsOf } from '../fields-of.ts'
import { Float } from '../float.ts'

/**
 * Writes an expression in TypeScript: names in order, indented by two spaces; Maps and objects both become objects. A `Float`
 * becomes a call of `float`, which the module `davit` exports.
 */
export function writeTypeScript(value: unknown, indent = ''): string {
  const inner = `${indent}  `
  if (value instanceof Float) return `float(${value.value})`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => `${inner}${writeTypeScript(item, inner)},\n`)
    return items.length === 0 ? '[]' : `[\n${items.join('')}${indent}]`
  }
  const fields = fieldsOf(value).map(([name, field]) => `${inner}${nameOf(name)}: ${writeTypeScript(field, inner)},\n`)
  return fields.length === 0 ? '{}' : `{\n${fields.join('')}${indent}}`
}

/** Tells whether what is written of a value calls `float`. */
export function hasFloat(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (value instanceof Float) return true
  return Array.isArray(value) ? value.some(hasFloat) : fieldsOf(value).some(([, field]) => hasFloat(field))
}

/** A literal `__proto__: …` would set the prototype. */
function nameOf(name: string): string {
  if (name === '__proto__') return '["__proto__"]'
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
}
