import type { ServiceName, StorePath, System, TargetName } from './ids.ts'

/** How a package is to be had, with every value known: pure data that a store can instantiate. */
export type PackageSpec =
  /** A directory or file as it is. */
  | { readonly kind: 'source'; readonly path: string; readonly name?: string }
  | BuildSpec
  /** Something that is in the store already. */
  | { readonly kind: 'present'; readonly path: StorePath }

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
  /** JSON text of the direct inter-dependencies, for a build that asks for the file `$parametersFile`. */
  readonly parameters?: string
}

/** A package that a normalized model needs, for a platform, and who needs it (for messages). */
export interface PackageRequest {
  readonly spec: PackageSpec
  readonly system: System
  readonly wantedBy: { readonly service: ServiceName } | { readonly target: TargetName }
}
