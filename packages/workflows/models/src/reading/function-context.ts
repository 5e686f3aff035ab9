import { asDiagnostic, type Diagnostic, suggestionFor, quoted } from '@davit/diagnostics'
import { ParameterError } from '@davit/normalization'
import { MODEL_KINDS, type ModelKind } from './model-kinds.ts'
import { say } from '../messages.ts'

/** Makes the arguments for functions of models, and records which extra parameters they read. */
export interface FunctionContexts {
  /** Makes the argument for the function of a model: the values for its kind, and the extra parameters. */
  contextFor(kind: ModelKind, own: Readonly<Record<string, unknown>>): object
  /** Adds the parameters that functions in the Nix language name, and those that they are given; Nix reports both. */
  noteNames(names: ParameterNames): void
  /** Returns a warning for each extra parameter that no function has read. */
  unread(): readonly Diagnostic[]
}

export interface ParameterNames {
  readonly given: readonly string[]
  readonly asked: readonly string[]
}

export function functionContexts(extraParams: Readonly<Record<string, unknown>>): FunctionContexts {
  const asked = new Set<string>()
  const given = new Set(Object.keys(extraParams))
  return {
    contextFor(kind, own) {
      const context = Object.create(absentArguments(kind, asked)) as object
      for (const [name, value] of Object.entries({ ...own, ...extraParams })) {
        const get = () => {
          asked.add(name)
          return value
        }
        Object.defineProperty(context, name, { get, enumerable: true, configurable: true })
      }
      return context
    },
    noteNames(names) {
      for (const name of names.given) given.add(name)
      for (const name of names.asked) asked.add(name)
    },
    unread() {
      const others = [...asked].filter((name) => !given.has(name))
      return [...given].filter((name) => !asked.has(name)).map((name) => unreadParameter(name, others))
    },
  }
}

function unreadParameter(parameter: string, asked: readonly string[]): Diagnostic {
  const hint = suggestionFor(parameter, asked) ?? 'functions of models name the parameters that they use'
  return asDiagnostic(say('parameter-unread', { parameter, hint }), {})
}

/** Makes a prototype: reading an argument of another kind of model throws; any other name is an extra parameter that was not given. */
function absentArguments(kind: ModelKind, asked: Set<string>): object {
  return new Proxy<object>(Object.create(null) as object, {
    get(_, name) {
      if (typeof name === 'symbol') return undefined
      const owner = ARGUMENTS.get(name)
      if (owner === undefined || owner === kind) {
        asked.add(name)
        return undefined
      }
      const { title, option } = MODEL_KINDS[owner]
      const reason = `the function of ${MODEL_KINDS[kind].title} does not get '${name}'`
      const hint = `only the function of ${title} receives it: was this file meant for ${option}?`
      throw new ParameterError({ used: quoted(name), reason, hint })
    },
  })
}

const ARGUMENTS: ReadonlyMap<string, ModelKind> = new Map([
  ['infrastructure', 'distribution'],
  ['distribution', 'services'],
  ['invDistribution', 'services'],
])
