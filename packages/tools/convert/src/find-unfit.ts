import { type Finding, type Path, quoted } from '@davit/diagnostics'
import { Float } from '@davit/languages'
import type { Kind, KindName } from './kinds.ts'

/** Models whose packages are derivations in the Nix language. */
export const WITH_PACKAGES: ReadonlySet<KindName> = new Set(['services', 'packages', 'architecture-model'])

/** Finds what davit would not read back from an expression in the Nix language as it is. */
export function findUnfitForNix({ name, title }: Kind, data: object): readonly Finding[] {
  if (WITH_PACKAGES.has(name)) {
    const message = `in the Nix language, the packages of ${title} are derivations, which data cannot express`
    const paths = packagesIn(data)
    return (paths.length === 0 ? [[]] : paths).map((path) => ({ path, message }))
  }
  const functor = memberOf(data, '__functor') === undefined ? [] : [['__functor']]
  return [
    ...functor.map((path) => ({ path, message: "a set with '__functor' is a function in the Nix language" })),
    ...unfitWithin(data, []),
  ]
}

/** Paths of the members of a table that stand for packages. */
function packagesIn(data: object): readonly Path[] {
  return entriesOf(data).flatMap(([name, member]): readonly Path[] => {
    if (name === 'targetPackages') return [[name]]
    if (typeof member !== 'object' || member === null) return []
    if (memberOf(member, 'pkg') !== undefined) return [[name, 'pkg']]
    return name === 'services' ? packagesIn(member).map((path) => [name, ...path]) : []
  })
}

function unfitWithin(value: unknown, path: Path): readonly Finding[] {
  const problem = problemOf(value)
  if (problem !== undefined) return [{ path, message: problem }]
  if (typeof value !== 'object' || value === null) return []
  return entriesOf(value).flatMap(([step, member]) => [
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

export function entriesOf(value: object): readonly (readonly [string | number, unknown])[] {
  if (value instanceof Float) return []
  if (Array.isArray(value)) return [...(value as readonly unknown[]).entries()]
  return value instanceof Map ? [...(value as ReadonlyMap<string, unknown>)] : Object.entries(value)
}

function memberOf(value: object, name: string): unknown {
  return value instanceof Map
    ? (value as ReadonlyMap<string, unknown>).get(name)
    : (value as Record<string, unknown>)[name]
}
