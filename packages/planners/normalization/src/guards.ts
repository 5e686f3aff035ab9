import { suggestionFor, quoted } from '@davit/diagnostics'
import { ParameterError } from './parameter-error.ts'

/** Makes the error for a member that does not exist; `members` are the existing ones. */
type Complain = (name: string, members: readonly string[]) => Error

/**
 * Makes a prototype for tables: a member that they do not have throws instead of being undefined. The tables stay
 * ordinary objects, so that `in`, `Object.keys`, spreading, `JSON.stringify` and `structuredClone` work as usual.
 * `what` names the table in messages.
 */
export function tableGuard(what: string, complain: Complain = missingIn(what)): object {
  return new Proxy<object>(Object.freeze(Object.create(null) as object), {
    get(_, name, table: object) {
      if (name === Symbol.toPrimitive) return refuseText(what, table)
      if (name === INSPECT) return inspectionOf(table)
      if (name === GUARD) return true
      if (typeof name === 'symbol' || ASKED_OF_ALL.has(name)) return undefined
      if (name in Object.prototype) return Reflect.get(Object.prototype, name, table)
      throw complain(name, Object.keys(table))
    },
  })
}

/** Tells whether an object is the prototype of a guarded table. */
export function isGuard(prototype: object): boolean {
  return Reflect.get(prototype, GUARD) === true
}

const GUARD = Symbol('davit guard')

/** Makes a prototype for lists that refuses unknown members; elements beyond the end are undefined as usual. */
export function listGuard(what: string): object {
  return new Proxy<object>(Object.create(Array.prototype) as object, {
    get(inherited, name, list) {
      if (typeof name === 'symbol' || name in inherited) return Reflect.get(inherited, name, list)
      if (ASKED_OF_ALL.has(name) || /^\d+$/.test(name)) return undefined
      const reason = `${what} is a list and has no member ${quoted(name)}`
      throw new ParameterError({ used: quoted(name), reason, hint: `use [0].${name} for its first element` })
    },
  })
}

function missingIn(what: string): Complain {
  return (name, members) => {
    const known = members.length === 0 ? 'it has no members' : `its members are ${members.join(', ')}`
    const hint = suggestionFor(name, members) ?? `${known}; test for optional members with the operator 'in'`
    return new ParameterError({ used: quoted(name), reason: `${what} has no member ${quoted(name)}`, hint })
  }
}

/** Members that `await` and `JSON.stringify` look up on every object. */
const ASKED_OF_ALL: ReadonlySet<string> = new Set(['then', 'toJSON'])

/** Member that `console.log` looks up on every object. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom')
const MAX_SHOWN_DEPTH = 4

function inspectionOf(table: object) {
  return (depth: number | null, options: object, inspect: Inspect): string =>
    inspect({ ...table }, { ...options, depth: Math.min(depth ?? MAX_SHOWN_DEPTH, MAX_SHOWN_DEPTH) })
}

type Inspect = (value: object, options: object) => string

function refuseText(what: string, table: object): () => never {
  return () => {
    const hint = `name one of its members: ${Object.keys(table).join(', ')}`
    throw new ParameterError({ used: `${what} as text`, reason: `${what} is a table`, hint })
  }
}
