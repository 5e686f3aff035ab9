import { Float } from '@davit/languages'
import type { PropertyValue } from './property.ts'

/** How a property reaches a module or a template: true is `1`, false is empty, lists are joined by a space, tables are empty. */
export function propertyText(value: PropertyValue): string {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return value ? '1' : ''
  if (typeof value === 'number' || value instanceof Float) return String(value)
  return Array.isArray(value) ? value.map(propertyText).join(' ') : ''
}
