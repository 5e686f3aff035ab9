import { type Path, quoted } from '@davit/diagnostics'
import type { Findings } from './findings.ts'

/** A schema of `documents` for one kind of name (a Standard Schema, independent of the library). */
interface NameSchema<Name> {
  readonly '~standard': {
    validate(value: unknown): { readonly value: Name; readonly issues?: undefined } | Refused | Promise<unknown>
  }
}
interface Refused {
  readonly issues: readonly { readonly message: string }[]
}

/** Returns the name; if it is not valid, reports the rule that it breaks and returns undefined. */
export function checkedName<Name>(
  schema: NameSchema<Name>,
  text: string,
  { path, findings }: { readonly path: Path; readonly findings: Findings },
): Name | undefined {
  const result = schema['~standard'].validate(text)
  if (result instanceof Promise) throw new Error('schemas of names are synchronous')
  if (result.issues === undefined) return result.value
  for (const { message } of result.issues) findings.error(path, `${quoted(text)} is not valid: ${message}`)
  return undefined
}

/** Maps plain texts to branded names. */
export function nameIndex<Name extends string>(names: Iterable<Name>): ReadonlyMap<string, Name> {
  return new Map<string, Name>(Array.from(names, (name) => [name, name]))
}
