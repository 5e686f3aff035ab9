import { suggestionFor, quoted } from '@davit/diagnostics'
import { Float } from '@davit/languages'
import { unknownParameter } from './guarded-parameters.ts'
import { ParameterError, type ParameterProblem } from './parameter-error.ts'
import { parseTemplate, type TemplatePart } from './template.ts'

const LITERAL_HINT = "write '$${' for a literal '${'"

/** Replaces the references of a template with their values; throws a ParameterError for the first that cannot be resolved. */
export function fillTemplate(template: string, parameters: object): string {
  return parseTemplate(template)
    .map((part) => partText(part, parameters))
    .join('')
}

function partText(part: TemplatePart, parameters: object): string {
  if (part.kind === 'text') return part.text
  const used = quoted(part.source)
  if (part.kind === 'malformed')
    throw new ParameterError({ used, reason: 'it is not a valid reference', hint: LITERAL_HINT })
  try {
    return valueText(valueAt(part.steps, parameters))
  } catch (error) {
    throw error instanceof ParameterError ? new ParameterError({ ...error.problem, used }) : error
  }
}

function valueAt([parameter = '', ...steps]: readonly string[], parameters: object): unknown {
  if (!Object.hasOwn(parameters, parameter)) throw unknownParameter(parameter, Object.keys(parameters))
  let value: unknown = Reflect.get(parameters, parameter)
  let reached = parameter
  for (const step of steps) {
    if (!hasStep(value, step)) throw missingStep(step, reached, value)
    value = Reflect.get(value, step)
    reached += `.${step}`
  }
  return value
}

/** References can only use members of tables and elements of lists, never inherited members. */
function hasStep(value: unknown, step: string): value is object {
  if (Array.isArray(value)) return /^\d+$/.test(step) && Object.hasOwn(value, step)
  return isTable(value) && Object.hasOwn(value, step)
}

function missingStep(step: string, reached: string, value: unknown): ParameterError {
  const members = isTable(value) ? Object.keys(value) : []
  const hint =
    suggestionFor(step, members) ?? (members.length === 0 ? LITERAL_HINT : `its members are ${members.join(', ')}`)
  return new ParameterError({ used: step, reason: `'${reached}' has no member ${quoted(step)}`, hint })
}

function isTable(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Float)
}

/** Returns the text of a value as modules receive it; throws for tables, which have no text. */
function valueText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return value ? '1' : ''
  if (typeof value === 'number' || value instanceof Float) return String(value)
  if (Array.isArray(value)) return value.map(valueText).join(' ')
  throw new ParameterError({ used: 'it', ...noText(value) })
}

function noText(value: unknown): Pick<ParameterProblem, 'reason' | 'hint'> {
  if (isTable(value) && Object.hasOwn(value, 'secret')) return SECRET_IN_BUILD
  return { reason: 'it refers to a table, not to text', hint: tableHint(value) }
}

const SECRET_IN_BUILD = {
  reason: 'it is a secret, which only lifecycle modules get',
  hint: 'packages are readable by everybody: let the service read it when it starts',
}

function tableHint(value: unknown): string {
  const members = isTable(value) ? Object.keys(value) : []
  return members.length === 0 ? LITERAL_HINT : `name one of its members: ${members.join(', ')}`
}
