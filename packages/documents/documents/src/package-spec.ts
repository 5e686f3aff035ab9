import type { ServiceName, StorePath, System, TargetName } from './ids.ts'

/** How a package is to be had, with every value known: pure data that a store can instantiate. */
export type PackageSpec =
  /** A directory or file as it is. */
  | { readonly kind: 'source'; readonly path: string; readonly name?: string; readonly sizeLimitBytes?: number }
  | BuildSpec
  /** Something that is in the store already. */
  | { readonly kind: 'present'; readonly path: StorePath }
  | ExpressionSpec

export interface BuildSpec {
  readonly kind: 'build'
  readonly name: string
  /** POSIX sh; makes `$out`. Sources and inputs are in variables of their names. */
  readonly script: string
  /** Variable → absolute path of a directory or file that is copied into the store. */
  readonly sources: ReadonlyMap<string, string>
  readonly env: ReadonlyMap<string, string>
  /** Variable → package that is realised before; its `bin` is on the PATH of the build. */
  readonly inputs: ReadonlyMap<string, PackageSpec>
  readonly network: boolean
  readonly timeLimitSeconds?: number
  /** Of what it writes, and of each of its sources. */
  readonly sizeLimitBytes?: number
  /** JSON text of the direct inter-dependencies, for a build that asks for the file `$parametersFile`. */
  readonly parameters?: string
}

/** What a program in the Nix language says: only the Nix store can instantiate it. */
export interface ExpressionSpec {
  readonly kind: 'expression'
  /** The same object for all packages that are to be evaluated together. */
  readonly program: ExpressionProgram
  /** Which of its packages: JSON that the program understands. */
  readonly selection: unknown
}

/**
 * A function in a file, which is called with `input`: the path of a JSON file that holds the input below and, in
 * `selections`, those of all packages. It gives `packages`, for each selection `{ out; drv; }` (`drv` is null for what
 * is not built), and `roots`, a store path that refers to all the derivations.
 */
export interface ExpressionProgram {
  readonly file: string
  readonly input: Readonly<Record<string, unknown>>
  /** Texts of Nix expressions that are passed as further arguments. */
  readonly expressions: ReadonlyMap<string, string>
  /** Whether errors are told with all that Nix says of them. */
  readonly showTrace: boolean
  /** What the user calls a file (given absolute), or one of the expressions (given by its name); as it is when absent. */
  readonly showFile?: (name: string) => string
}

/** A package that a normalized model needs, for a platform, and who needs it (for messages). */
export interface PackageRequest {
  readonly spec: PackageSpec
  readonly system: System
  readonly wantedBy: { readonly service: ServiceName } | { readonly target: TargetName }
}
