import { camelCase, type Option } from './option.ts'
import type { ArgumentValue } from './option-value.ts'
import { usageError } from './usage-error.ts'

type Options = ReadonlyMap<string, Option>
type Values = Readonly<Record<string, ArgumentValue>>

/** Refuses options that exclude each other. */
export function refuseExcluded(options: Options, values: Values): void {
  for (const [name, { excludes = [] }] of options) {
    const other = isGiven(name, options, values) ? excludes.find((one) => isGiven(one, options, values)) : undefined
    if (other !== undefined)
      throw usageError(`options '--${name}' and '--${other}' cannot be combined`, 'omit one of them')
  }
}

/** Whether an option, or its negation, says something else than usual. */
export function isGiven(name: string, options: Options, values: Values): boolean {
  const option = options.get(name)
  if (option === undefined) return name.startsWith('no-') && isGiven(name.slice('no-'.length), options, values)
  const value = values[camelCase(name)]
  if (option.type === 'list') return Array.isArray(value) && value.length > 0
  return value !== undefined && value !== (option.type === 'boolean' ? (option.default ?? false) : option.default)
}
