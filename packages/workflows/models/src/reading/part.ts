import {
  asDiagnostic,
  atPath,
  DavitError,
  type Diagnostic,
  ExitStatus,
  type Message,
  type Path,
  type Place,
  quoted,
  suggestionFor,
} from '@davit/diagnostics'
import { floatIn, MAX_MODEL_DEPTH } from '@davit/languages'
import { isGuard } from '@davit/normalization'
import { textOfFloat } from './float.ts'
import { say } from '../messages.ts'

/** A value in a model, with its place. */
export interface Part {
  readonly value: unknown
  /** Path from the root of the architecture model: `services`, `web`, `type`. */
  readonly path: Path
  readonly parent?: Part
  readonly origin: Origin
}

/** The file of a part, and the list that collects its problems. */
export interface Origin {
  readonly problems: Diagnostic[]
  /** How many parts have been read; a value that occurs in several places counts each time. */
  readonly seen: { parts: number }
  /** Directory that relative paths start from. */
  readonly directory: string
  placeOf(path: Path): Place
  /** Place of the key that the last step of the path names. */
  placeOfKey(path: Path): Place
  /** In models that are data: returns a number, truth value or null as it is written, if its value gives another text. */
  writtenAt?(path: Path): string | undefined
}

export function partOf(parent: Part, step: string | number, value: unknown): Part {
  return { value, path: [...parent.path, step], parent, origin: parent.origin }
}

/** Records a problem of a part; reading goes on, so that all problems are reported together. */
export function refuse({ path, origin }: Part, message: string, hint?: string): undefined {
  origin.problems.push(located(atPath(path, message, hint), origin.placeOf(path)))
}

/** Records a problem of the key of a part. */
export function refuseKey({ path, origin }: Part, message: string, hint?: string): undefined {
  origin.problems.push(located(atPath(path, message, hint), origin.placeOfKey(path)))
}

function located(problem: Diagnostic, place: Place): Diagnostic {
  return { ...problem, place }
}

/** Refuses members that are undefined: a failed look-up in a program must not be ignored silently. */
export function refuseUndefined(part: Part, what: string): void {
  for (const [name, value] of entriesOf(part.value) ?? []) {
    if (value !== undefined || typeof name !== 'string') continue
    refuse(partOf(part, name, value), `${what} ${quoted(name)} is undefined`, 'give it a value, or leave it out')
  }
}

/** Returns the members of a table, which is a plain object or a Map. Members that are `undefined` are absent. */
export function membersOf(part: Part, expected: string): ReadonlyMap<string, Part> {
  const members = new Map<string, Part>()
  const entries = entriesOf(part.value)
  if (entries === undefined) refuse(part, `expected ${expected}, but got ${described(part.value)}`)
  else checkBounds(part, 0)
  for (const [key, value] of entries ?? []) {
    if (typeof key !== 'string') refuse(part, `expected names as keys, but got ${described(key)}`)
    else if (value !== undefined) members.set(key, partOf(part, key, value))
  }
  checkBounds(part, members.size)
  return members
}

export function itemsOf(part: Part, expected: string): readonly Part[] {
  if (Array.isArray(part.value)) {
    checkBounds(part, part.value.length)
    return Array.from(part.value, (item: unknown, index) => partOf(part, index, item))
  }
  refuse(part, `expected ${expected}, but got ${described(part.value)}`)
  return []
}

const MAX_PARTS = 2_000_000

/** Throws for values that are too large or too deep, which programs can make; reading on makes no sense. */
function checkBounds({ path, origin }: Part, more: number): void {
  origin.seen.parts += more
  const bound =
    path.length > MAX_MODEL_DEPTH
      ? `is nested more than ${MAX_MODEL_DEPTH} levels deep`
      : `contains more than ${MAX_PARTS} values`
  if (path.length <= MAX_MODEL_DEPTH && origin.seen.parts <= MAX_PARTS) return
  const place = origin.placeOf(path)
  const problem = located(atPath(path.slice(0, 3), `this value ${bound}, or contains itself`), place)
  throw new DavitError('invalid-model', `'${place.file}' is too large`, {
    exitStatus: ExitStatus.badDocument,
    diagnostics: [problem],
  })
}

/** Returns the entries of a table; undefined for any other value. */
export function entriesOf(value: unknown): Iterable<readonly [unknown, unknown]> | undefined {
  if (value instanceof Map) return value as ReadonlyMap<unknown, unknown>
  return isPlainObject(value) ? Object.entries(value) : undefined
}

export function memberOf(value: unknown, name: string): unknown {
  if (value instanceof Map) return (value as ReadonlyMap<unknown, unknown>).get(name)
  return isObject(value) && Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (!isObject(value) || Array.isArray(value)) return false
  const prototype = Object.getPrototypeOf(value) as object | null
  return prototype === null || prototype === Object.prototype || isGuard(prototype)
}

export function textOf(part: Part, what: string): string | undefined {
  return textIn(part) ?? refuse(part, `expected ${what}, but got ${described(part.value)}`, hintForNull(part))
}

/** Returns a text; in data also a number or truth value, as it is written, since only text can be meant. */
export function textIn({ value, path, origin }: Part): string | undefined {
  if (typeof value === 'string') return value
  if (origin.writtenAt === undefined) return undefined
  if (typeof value === 'number' || typeof value === 'boolean') return origin.writtenAt(path) ?? String(value)
  return floatIn(value) === undefined ? undefined : String(value)
}

/** Returns a number; in data also one that davit would write otherwise, such as `1e3`, which is text there. */
export function numberIn({ value, path, origin }: Part): number | undefined {
  const number = floatIn(value) ?? value
  if (typeof number === 'number') return number
  const isNumber = typeof value === 'string' && origin.writtenAt?.(path) === value && UNAMBIGUOUS.test(value)
  return isNumber ? Number(value) : undefined
}

/** Numbers that are the same in all versions of YAML. */
const UNAMBIGUOUS = /^[+-]?(?:0|[1-9]\d*)?(?:\.\d*)?(?:[eE][+-]?\d+)?$/

/** Hint for a null in data that may be meant as text. */
export function hintForNull({ value, path, origin }: Part): string | undefined {
  if (value !== null || origin.writtenAt === undefined) return undefined
  const written = origin.writtenAt(path) ?? 'null'
  return written === '' ? undefined : `write "${written}" if text is meant`
}

export function booleanOf(part: Part, what: string): boolean | undefined {
  if (typeof part.value === 'boolean') return part.value
  return refuse(part, `expected true or false for ${what}, but got ${described(part.value)}`)
}

/** Refuses unknown members: a misspelt attribute must not be ignored silently. */
export function refuseOthers(members: ReadonlyMap<string, Part>, known: readonly string[], what: string): void {
  for (const [name, part] of members) {
    if (known.includes(name)) continue
    refuseKey(
      part,
      `${what} has no attribute ${quoted(name)}`,
      suggestionFor(name, known) ?? `known attributes: ${known.join(', ')}`,
    )
  }
}

export interface Misplaced {
  readonly attributes: readonly string[]
  /** Owner of the attributes, with its article. */
  readonly what: string
  /** A table with one of these members may have the name of an attribute. */
  readonly needed: readonly string[]
}

/** Refuses the first attribute in place of a name: in YAML, a line that is not indented. */
export function refuseMisplaced(part: Part, { attributes, what, needed }: Misplaced): boolean {
  for (const [key, value] of entriesOf(part.value) ?? []) {
    if (typeof key !== 'string' || !attributes.includes(key)) continue
    if (needed.some((name) => memberOf(value, name) !== undefined)) continue
    const message = `expected the name of ${what}, but '${key}' is an attribute of one`
    refuseKey(partOf(part, key, value), message, `indent it below the name of ${what}`)
    return true
  }
  return false
}

/**
 * Warns of unknown members whose names resemble known ones; others are the user's own. Most records have the same members, so each
 * name is compared once.
 */
export function suspicion(known: readonly string[], what: string): (members: ReadonlyMap<string, Part>) => void {
  const hints = new Map<string, string | undefined>()
  const hintFor = (name: string) => {
    if (!hints.has(name)) hints.set(name, suggestionFor(name, known))
    return hints.get(name)
  }
  return (members) => {
    for (const [name, member] of members) {
      const hint = known.includes(name) ? undefined : hintFor(name)
      if (hint !== undefined) suspect(member, say('attribute-unknown', { attribute: name, of: what, hint }))
    }
  }
}

/** Records a warning about a part. */
export function warn({ path, origin }: Part, message: Message): void {
  origin.problems.push(asDiagnostic(message, { path, place: origin.placeOf(path) }))
}

/** Records a warning about the key of a part. */
export function suspect({ path, origin }: Part, message: Message): void {
  origin.problems.push(asDiagnostic(message, { path, place: origin.placeOfKey(path) }))
}

interface NameSchema<Id extends string> {
  readonly '~standard': { validate(value: unknown): NameResult<Id> | Promise<NameResult<Id>> }
}
type NameResult<Id> =
  | { readonly value: Id; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] }

/** Checks a name by its schema; records a problem at the part and returns undefined if it is not valid. */
export function nameOf<Id extends string>(schema: NameSchema<Id>, given: unknown, part: Part): Id | undefined {
  const name = given === part.value ? (textIn(part) ?? given) : given
  const result = schema['~standard'].validate(name)
  if (result instanceof Promise) throw new Error('schemas of names are synchronous')
  if (result.issues === undefined) return result.value
  const shown = typeof name === 'string' ? quoted(name) : described(name)
  const tell = given === part.value ? refuse : refuseKey
  return tell(part, `${shown} is not valid: ${result.issues[0]?.message}`)
}

/** Describes a value in messages: `a list`, `the number 3`, `an instance of Date`. */
export function described(value: unknown): string {
  if (value === null) return 'nothing (null)'
  if (value === undefined) return 'nothing (undefined)'
  if (typeof value === 'string') return value.length > 40 ? 'text' : `the text '${value}'`
  if (typeof value === 'number' || typeof value === 'boolean') return `the ${typeof value} ${value}`
  return typeof value === 'object' ? describedObject(value) : `a ${typeof value}`
}

function describedObject(value: object): string {
  const float = floatIn(value)
  if (float !== undefined) return `the number ${textOfFloat(float)}`
  if (Array.isArray(value)) return 'a list'
  if (value instanceof Promise) return 'a promise'
  if (value instanceof Map || isPlainObject(value)) return 'a table'
  const { constructor } = value as { readonly constructor?: { readonly name?: unknown } }
  return typeof constructor?.name === 'string' ? `an instance of ${constructor.name}` : 'an object with a prototype'
}
