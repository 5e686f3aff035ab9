import type { IntegerOption, Option } from './option.ts'
import type { Environment } from './tool-context.ts'
import { usageError } from './usage-error.ts'

export type ArgumentValue = string | number | boolean | readonly string[] | undefined

/** Value as yargs-parser returns it; an array if the option was given more than once. */
export type RawValue = string | boolean | readonly (string | boolean)[] | undefined

export interface OptionSource {
  readonly name: string
  readonly option: Option
  readonly environment: Environment
}

/** Value of an option: as given (the last one counts), else from the environment, else its default. */
export function optionValue(source: OptionSource, raw: RawValue): ArgumentValue {
  const { name, option } = source
  if (raw === undefined) return environmentValue(source) ?? defaultOf(source)
  const given = [raw].flat()
  if (option.type !== 'boolean' && given.includes(false))
    throw usageError(`unknown option '--no-${name}'`, 'see --help')
  return parseValue(option, given.map(String), `option '--${name}'`)
}

function environmentValue({ option, environment }: OptionSource): ArgumentValue {
  const variable = option.env?.find((candidate) => (environment[candidate] ?? '') !== '')
  if (variable === undefined) return undefined
  return parseValue(option, [environment[variable] ?? ''], `variable '${variable}'`)
}

function defaultOf({ name, option }: OptionSource): ArgumentValue {
  if ('required' in option) throw usageError(`missing option '--${name}'`, option.describe)
  if (option.type === 'list') return []
  return option.type === 'boolean' ? (option.default ?? false) : option.default
}

function parseValue(option: Option, texts: readonly string[], source: string): ArgumentValue {
  const text = texts.at(-1) ?? ''
  switch (option.type) {
    case 'string':
      return text
    case 'list':
      return texts
    case 'boolean':
      return parseBoolean(text, source)
    case 'integer':
      return parseInteger(text, option, source)
    case 'choice':
      if (option.choices.includes(text)) return text
      throw usageError(`${source} cannot be '${text}'`, `expected one of ${option.choices.join(', ')}`)
  }
}

function parseBoolean(text: string, source: string): boolean {
  if (['1', 'true', 'yes'].includes(text)) return true
  if (['0', 'false', 'no'].includes(text)) return false
  throw usageError(`${source} cannot be '${text}'`, 'expected 1 or 0')
}

function parseInteger(text: string, { minimum, maximum }: IntegerOption, source: string): number {
  const value = /^[+-]?\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (value >= (minimum ?? -Infinity) && value <= (maximum ?? Infinity)) return value
  const range = [minimum === undefined ? '' : ` from ${minimum}`, maximum === undefined ? '' : ` up to ${maximum}`]
  throw usageError(`${source} cannot be '${text}'`, `expected an integer${range.join('')}`)
}
