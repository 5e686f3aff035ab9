import { suggestionFor, quoted } from '@davit/diagnostics'
import { tableGuard } from './guards.ts'
import { lazyObject } from './lazy-object.ts'
import { ParameterError } from './parameter-error.ts'

/** Makes the argument of a `pkg` function: a parameter that does not exist throws instead of being undefined. */
export function guardedParameters(parameters: object): object {
  const members = Object.keys(parameters).map((name) => ({
    name,
    compute: () => Reflect.get(parameters, name) as unknown,
  }))
  return lazyObject(members, tableGuard('the parameters', unknownParameter))
}

export function unknownParameter(name: string, parameters: readonly string[]): ParameterError {
  return new ParameterError({
    used: `parameter ${quoted(name)}`,
    reason: `${quoted(name)} is not among its dependencies`,
    hint: suggestionFor(name, parameters) ?? parametersHint(parameters),
  })
}

function parametersHint(parameters: readonly string[]): string {
  if (parameters.length === 0) return "it has no dependencies; services name theirs in 'dependsOn' and 'connectsTo'"
  return `its dependencies are ${parameters.map(quoted).join(', ')}`
}
