import type { ServiceName, StorePath, System, TargetName } from './ids.ts'

/** How to get a package, with every value known: pure data that a store can instantiate. */
export type PackageSpec =
  /** A directory or file that is copied unchanged. */
  | { readonly kind: 'source'; readonly path: string; readonly name?: string; readonly sizeLimitBytes?: number }
  | BuildSpec
  /** A path that is in the store already. */
  | { readonly kind: 'present'; readonly path: StorePath }
  | ExpressionSpec

export interface BuildSpec {
  readonly kind: 'build'
  readonly name: string
  /** POSIX shell script that makes `$out`. Sources and inputs are in variables of their names. */
  readonly script: string
  /** Variable → absolute path of a directory or file that is copied into the store. */
  readonly sources: ReadonlyMap<string, string>
  readonly env: ReadonlyMap<string, string>
  /** Variable → package that is realised first; its `bin` is on the PATH of the build. */
  readonly inputs: ReadonlyMap<string, PackageSpec>
  readonly network: boolean
  readonly timeLimitSeconds?: number
  /** Limit for what the build writes, and for each of its sources. */
  readonly sizeLimitBytes?: number
  /** Whether it comes from a fetched stack, so that somebody else may have written it. */
  readonly isFetched?: boolean
  /** JSON text of the direct inter-dependencies, for a build that wants the file `$parametersFile`. */
  readonly parameters?: string
}

/** A package that a program in the Nix language defines: only the Nix store can instantiate it. */
export interface ExpressionSpec {
  readonly kind: 'expression'
  /** The program; the same object for all packages that are evaluated together. */
  readonly program: ExpressionProgram
  /** Selects one of the program's packages: JSON that the program understands. */
  readonly selection: unknown
}

/**
 * A function in a file. Its argument `input` is the path of a JSON file that contains the input below and, in
 * `selections`, the selections of all packages. It returns `packages`, for each selection `{ out; drv; }` (`drv` is null
 * if nothing is built), and `roots`, a store path that refers to all the derivations.
 */
export interface ExpressionProgram {
  readonly file: string
  readonly input: Readonly<Record<string, unknown>>
  /** Nix expressions that are passed as further arguments. */
  readonly expressions: ReadonlyMap<string, string>
  /** Whether errors are shown with Nix's trace. */
  readonly showTrace: boolean
  /** Returns the user's name for an absolute path or for the name of an expression; without it, names are shown unchanged. */
  readonly showFile?: (name: string) => string
}

/** A package that a normalized model needs, the system it is for, and what needs it (for messages). */
export interface PackageRequest {
  readonly spec: PackageSpec
  readonly system: System
  readonly wantedBy: { readonly service: ServiceName } | { readonly target: TargetName }
}
