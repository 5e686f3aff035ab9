import { type Finding, type Path, quoted } from '@davit/diagnostics'
import { membersOf } from '../members-of.ts'

/** Finds what of some data would be something else in the Nix language as `writeNix` writes it. */
export function findUnfitForNix(data: object): readonly Finding[] {
  const functor = memberOf(data, '__functor') === undefined ? [] : [['__functor']]
  return [
    ...functor.map((path) => ({ path, message: "a set with '__functor' is a function in the Nix language" })),
    ...unfitWithin(data, []),
  ]
}

function unfitWithin(value: unknown, path: Path): readonly Finding[] {
  const problem = problemOf(value)
  if (problem !== undefined) return [{ path, message: problem }]
  if (typeof value !== 'object' || value === null) return []
  return membersOf(value).flatMap(([step, member]) => [
    ...(typeof step === 'string' && isStrange(step) ? [{ path, message: strangeText(step) }] : []),
    ...unfitWithin(member, [...path, step]),
  ])
}

function problemOf(value: unknown): string | undefined {
  if (value === null) return 'davit leaves out null in the Nix language'
  if (typeof value === 'string') return isStrange(value) ? strangeText(value) : undefined
  if (typeof value !== 'object' || Array.isArray(value) || memberOf(value, 'type') !== 'derivation') return undefined
  return "a set with the type 'derivation' is a package in the Nix language"
}

/** Whether a text contains what cannot occur in the Nix language: NUL, and halves of characters. */
function isStrange(text: string): boolean {
  return text.includes('\0') || !text.isWellFormed()
}

function strangeText(text: string): string {
  return `the text ${quoted(text.toWellFormed().replaceAll('\0', '\\0'))} has a character that the Nix language does not`
}

function memberOf(value: object, name: string): unknown {
  return value instanceof Map
    ? (value as ReadonlyMap<string, unknown>).get(name)
    : (value as Record<string, unknown>)[name]
}
