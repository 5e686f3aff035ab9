import { suggestionFor } from '@davit/diagnostics'
import { quoted } from './names.ts'
import { ParameterError } from './parameter-error.ts'

/** What a function of the parameters gets: a parameter that does not exist fails instead of being undefined. */
export function guardedParameters(parameters: object): object {
  return new Proxy(parameters, {
    get: (target, name) => {
      if (typeof name === 'symbol' || Object.hasOwn(target, name)) return Reflect.get(target, name)
      // Asked of every object, by `await` and by `JSON.stringify`.
      if (name === 'then' || name === 'toJSON') return undefined
      throw unknownParameter(name, Object.keys(target))
    },
  })
}

export function unknownParameter(name: string, parameters: readonly string[]): ParameterError {
  return new ParameterError({
    used: `parameter ${quoted(name)}`,
    reason: `${quoted(name)} is not among its dependencies`,
    hint: suggestionFor(name, parameters) ?? parametersHint(parameters),
  })
}

function parametersHint(parameters: readonly string[]): string {
  if (parameters.length === 0) return "it has none; services name them in 'dependsOn' and 'connectsTo'"
  return `they are ${parameters.map(quoted).join(', ')}`
}
