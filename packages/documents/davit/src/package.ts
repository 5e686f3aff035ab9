import { resolve } from 'node:path'

/** A directory or file that becomes a package unchanged; made by `source`. */
export interface SourcePackage {
  /** Path, relative to the file that contains it. */
  readonly source: string
  /** Name of the package in the store; that of the directory or file when absent. */
  readonly name?: string
  /** Bytes, or a text such as `'20 GB'`; a larger source is refused. */
  readonly sizeLimit?: number | string
}

/** A package that a script builds; made by `build`. */
export interface BuildPackage {
  readonly build: Build
}

/** A package that is in the store already. */
export interface StoredPackage {
  /** Its path in the store. */
  readonly storePath: string
}

/** Package of a service: what is installed on its target. */
export type Package = SourcePackage | BuildPackage | StoredPackage

export interface Build {
  /** Name of the package in the store; that of the service when absent. May contain `${parameter.path}`. */
  readonly name?: string
  /**
   * POSIX shell script that makes `$out`. Sources and inputs are in variables of their names, and the `bin` of each
   * input is on the PATH. If the script begins on a line of its own, the indentation common to all its lines is removed.
   * Nothing else is changed: `${...}` belongs to the shell.
   */
  readonly script: string
  /** Variable of the build → directory or file that is copied into the store, relative to the file that contains the path. */
  readonly sources?: { readonly [variable: string]: string | SourcePackage }
  /**
   * Environment variables of the build. `${parameter.path}` is replaced with a value of an inter-dependency, for
   * example `${database.target.properties.hostname}`; `$${` is a literal `${`. Nothing is replaced in the result of a
   * `pkg` function.
   */
  readonly env?: { readonly [variable: string]: string | number | boolean }
  /** Variable of the build → package that is built first. */
  readonly inputs?: { readonly [variable: string]: Package }
  /** Whether the build may use the network. */
  readonly network?: boolean
  /** Seconds after which the build is stopped. */
  readonly timeLimit?: number
  /** Limit for what the build writes, and for each of its sources: bytes, or a text such as `'20 GB'`. */
  readonly sizeLimit?: number | string
  /** Gives the build `$parametersFile`: a JSON file with the direct inter-dependencies. */
  readonly parametersFile?: boolean
}

/** Makes a package of a directory or file: `source('./web')`. The path is relative to the file that calls it. */
export function source(path: string, options: Omit<SourcePackage, 'source'> = {}): SourcePackage {
  return { source: path, ...options }
}

/** Makes a package that a POSIX shell script builds. Paths in `sources` are relative to the file that calls it. */
export function build(description: Build): BuildPackage {
  return { build: description }
}

export interface PackagesIn {
  readonly source: typeof source
  readonly build: typeof build
}

/** Returns `source` and `build` for files in a directory; davit gives every file of a model those of its own directory. */
export function packagesIn(directory: string): PackagesIn {
  const located = (path: string) => (typeof path === 'string' ? resolve(directory, path) : path)
  return {
    source: (path, options) => source(located(path), options),
    build: (description) => build(withSources(description, located)),
  }
}

/** Returns anything but a build with sources unchanged: the reader of the model reports it. */
function withSources(description: Build, located: (path: string) => string): Build {
  const sources: unknown = description?.sources
  if (typeof sources !== 'object' || sources === null) return description
  const entries = Object.entries(sources).map(([variable, path]) => [variable, located(path)])
  return { ...description, sources: Object.fromEntries(entries) }
}
