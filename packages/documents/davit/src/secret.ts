/** Where the coordinator finds a value when an activity needs it: a file, a variable of its environment, or what a command prints. */
export type SecretSource =
  /** Path; relative to the model. One line break at its end is not part of the value. */
  | { readonly file: string }
  | { readonly env: string }
  /** A program with its arguments, or a command for `sh`. */
  | { readonly command: readonly [string, ...string[]] | string }

/** A property of a container whose value no document contains. */
export interface Secret {
  readonly secret: SecretSource
}

/** Refers to a secret: `secret({ file: 'keys/database' })`. The same can be written as a table. */
export function secret(source: SecretSource): Secret {
  return { secret: source }
}
