import { resolve } from 'node:path'

/** A directory or file that is a package as it is; made by `source`. */
export interface SourcePackage {
  /** Relative to the file that says it. */
  readonly source: string
  /** Name of the package in the store; that of the directory or file when absent. */
  readonly name?: string
  /** Bytes, or a text such as `'20 GB'`: a larger one is refused. */
  readonly sizeLimit?: number | string
}

/** A package that a script builds; made by `build`. */
export interface BuildPackage {
  readonly build: Build
}

/** What a service consists of on its machine. */
export type Package = SourcePackage | BuildPackage

export interface Build {
  /** Name of the package in the store; that of the service when absent. May hold `${parameter.path}`. */
  readonly name?: string
  /**
   * POSIX shell script that makes `$out`. Sources and inputs are in variables of their names, and the `bin` of each
   * input is on the PATH. Where it begins on a line of its own, the indentation that all its lines share is left out;
   * nothing else is changed: `${...}` in it belongs to the shell.
   */
  readonly script: string
  /** Variable of the build → directory or file that is copied into the store, relative to the file that says it. */
  readonly sources?: { readonly [variable: string]: string | SourcePackage }
  /**
   * Environment variables of the build. `${parameter.path}` in a value stands for a value of an inter-dependency, for
   * example `${database.target.properties.hostname}`; `$${` is a literal `${`. In what a `pkg` function returns
   * nothing is replaced.
   */
  readonly env?: { readonly [variable: string]: string | number | boolean }
  /** Variable of the build → package that is there before the build begins. */
  readonly inputs?: { readonly [variable: string]: Package }
  /** Whether the build may use the network. */
  readonly network?: boolean
  /** Seconds after which the build is ended. */
  readonly timeLimit?: number
  /** Bytes, or a text such as `'20 GB'`: how much the build may write, and how large each of its sources may be. */
  readonly sizeLimit?: number | string
  /** Gives the build `$parametersFile`: a JSON file with the direct inter-dependencies. */
  readonly parametersFile?: boolean
}

/** A directory or file, as it is: `source('./web')`. The path is relative to the file that calls it. */
export function source(path: string, options: Omit<SourcePackage, 'source'> = {}): SourcePackage {
  return { source: path, ...options }
}

/** A package that a POSIX shell script builds. Paths in `sources` are relative to the file that calls it. */
export function build(description: Build): BuildPackage {
  return { build: description }
}

export interface PackagesIn {
  readonly source: typeof source
  readonly build: typeof build
}

/** `source` and `build` for files in a directory; davit gives every file of a model those of its own directory. */
export function packagesIn(directory: string): PackagesIn {
  const located = (path: string) => (typeof path === 'string' ? resolve(directory, path) : path)
  return {
    source: (path, options) => source(located(path), options),
    build: (description) => build(withSources(description, located)),
  }
}

/** Leaves whatever is not a build with sources alone: it is diagnosed where the model is read. */
function withSources(description: Build, located: (path: string) => string): Build {
  const sources: unknown = description?.sources
  if (typeof sources !== 'object' || sources === null) return description
  const entries = Object.entries(sources).map(([variable, path]) => [variable, located(path)])
  return { ...description, sources: Object.fromEntries(entries) }
}
