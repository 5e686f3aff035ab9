import { fileURLToPath } from 'node:url'
import type { ExpressionProgram, StorePath, System } from '@davit/documents'

/** A package that is not described in the Nix language, for `packages.nix`. */
export type PlainPackage =
  | { readonly kind: 'source'; readonly path: string; readonly name: string }
  | { readonly kind: 'present'; readonly path: StorePath }
  | PlainBuild

export interface PlainBuild {
  readonly kind: 'build'
  readonly name: string
  readonly system: System
  readonly script: string
  /** A number is the path of the package at that place. */
  readonly variables: ReadonlyMap<string, string | number>
  /** Packages whose programs come first. */
  readonly path: readonly number[]
  readonly standardPath: string
  readonly parameters?: string
}

/** Makes all of them together; gives what every program of packages gives. */
export function packagesProgram(packages: readonly PlainPackage[]): ExpressionProgram {
  return {
    file: fileURLToPath(new URL('../nix/packages.nix', import.meta.url)),
    input: { packages },
    expressions: new Map(),
    showTrace: false,
  }
}
