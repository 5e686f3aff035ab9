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
  /** A number stands for the path of the package with that index. */
  readonly variables: ReadonlyMap<string, string | number>
  /** Indices of packages whose programs come first in PATH. */
  readonly path: readonly number[]
  readonly standardPath: string
  readonly parameters?: string
}

/** Program that makes all packages together, with the result that every program of packages has. */
export function packagesProgram(packages: readonly PlainPackage[]): ExpressionProgram {
  return {
    file: fileURLToPath(new URL('../nix/packages.nix', import.meta.url)),
    input: { packages },
    expressions: new Map(),
    showTrace: false,
  }
}
