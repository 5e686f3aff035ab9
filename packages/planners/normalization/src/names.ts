import type { Path } from '@davit/diagnostics'
import type { Findings } from './findings.ts'

/** A schema of `documents` for one kind of name (Standard Schema, whatever the library). */
interface NameSchema<Name> {
  readonly '~standard': {
    validate(value: unknown): { readonly value: Name; readonly issues?: undefined } | Refused | Promise<unknown>
  }
}
interface Refused {
  readonly issues: readonly { readonly message: string }[]
}

const MAX_SHOWN = 60

/** The name, or nothing and an error that says which rule it breaks. */
export function checkedName<Name>(
  schema: NameSchema<Name>,
  text: string,
  { path, findings }: { readonly path: Path; readonly findings: Findings },
): Name | undefined {
  const result = schema['~standard'].validate(text)
  if (result instanceof Promise) throw new Error('schemas of names are synchronous')
  if (result.issues === undefined) return result.value
  for (const { message } of result.issues) findings.error(path, `bad name ${quoted(text)}: ${message}`)
  return undefined
}

/** Finds the name that a text is, with its brand. */
export function nameIndex<Name extends string>(names: Iterable<Name>): ReadonlyMap<string, Name> {
  return new Map<string, Name>(Array.from(names, (name) => [name, name]))
}

/** In single quotes on one line, cut where nobody would read on. */
export function quoted(text: string): string {
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
  return `'${shown.replaceAll('\n', '\\n')}'`
}
