import { Float } from '@davit/languages'
import type { PropertyValue } from './property.ts'

/** Text of a property for modules and templates: true is `1`, false is empty, lists are joined by spaces, tables are empty. */
export function propertyText(value: PropertyValue): string {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return value ? '1' : ''
  if (typeof value === 'number' || value instanceof Float) return String(value)
  return Array.isArray(value) ? value.map(propertyText).join(' ') : ''
}
