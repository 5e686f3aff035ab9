import type { TemplateValue } from '../template-file.ts'
import { kindOf } from '../values.ts'
import { any, takes, text } from './definition.ts'

/** Nil has the kind that Go gives to what is nothing. */
function nameOf(value: TemplateValue): string {
  return value === null ? 'invalid' : kindOf(value)
}

const kind = takes([any], ([value]) => nameOf(value))
const isKind = takes([text, any], ([wanted, value]) => nameOf(value) === wanted)

/** A value has one type for each kind, so both have the same names. */
export const kinds = { kindOf: kind, typeOf: kind, kindIs: isKind, typeIs: isKind }
