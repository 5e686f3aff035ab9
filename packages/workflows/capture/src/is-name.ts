/** A schema of `documents` for one kind of name (a Standard Schema). */
interface NameSchema<Name> {
  readonly '~standard': {
    validate(value: unknown): { readonly value: Name; readonly issues?: undefined } | Refused | Promise<unknown>
  }
}
interface Refused {
  readonly issues: readonly unknown[]
}

export function isName<Name extends string>(schema: NameSchema<Name>, text: string): text is Name {
  const result = schema['~standard'].validate(text)
  return !(result instanceof Promise) && result.issues === undefined
}
