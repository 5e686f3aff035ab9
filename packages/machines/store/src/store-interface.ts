import type { Readable } from 'node:stream'
import type { InstantiatedPackage, PackageRequest, StorePath, StoreReference, System } from '@davit/documents'
import type { LifecycleModule } from '@davit/modules'
import type { ServeClient } from '@davit/nix'
import type { CopiesElsewhere } from './native/add-copies.ts'
import type { BuiltElsewhere } from './native/add-outputs.ts'
import type { BuildOptions } from './native/build-output.ts'
import type { Registration } from './native/registration.ts'
import type { BuildMachine, RemoteBuild } from './native/remote-build.ts'

/** The coordinator's half of a store: builds packages, and determines what has to be copied. */
export type Store = NativeStore | NixStore

export interface StoreOperations {
  readonly reference: StoreReference
  /** Puts packages into the store and protects them, in the order of the requests; builds nothing. */
  instantiate(requests: readonly PackageRequest[]): Promise<readonly InstantiatedPackage[]>
  /** Builds packages that are not valid. One DavitError 'build-failed' lists all failed builds, with the ends of their logs. */
  realise(packages: readonly InstantiatedPackage[], options: RealiseOptions): Promise<void>
  /** Returns what has to be built until all of these packages are valid, by derivation. */
  unbuilt(packages: readonly InstantiatedPackage[]): Promise<ReadonlyMap<StorePath, UnbuiltDerivation>>
  /** Returns the outputs of derivations, valid or not. */
  outputs(derivations: readonly StorePath[]): Promise<ReadonlyMap<StorePath, readonly StorePath[]>>
  /** Returns what valid paths need (packages to run, derivations to be built), referenced paths before those that refer to them. */
  closure(paths: readonly StorePath[]): Promise<readonly StorePath[]>
  invalidPaths(paths: readonly StorePath[]): Promise<readonly StorePath[]>
  /** Adds the package of a module, and protects it. */
  addModule(type: string, module: LifecycleModule): Promise<StorePath>
  /** Adds all profiles together, in the order given, and protects them. */
  addProfiles(profiles: readonly ProfileContents[]): Promise<readonly StorePath[]>
  /** Keeps paths and their closures under a name, in place of what it kept before. */
  addRoot(name: string, paths: readonly StorePath[]): Promise<void>
  /** Whether paths and their closures are kept under a name; only reads. */
  hasRoot(name: string, paths: readonly StorePath[]): Promise<boolean>
  removeRoot(name: string): Promise<void>
  /** Keeps paths and their closures for a day: until a later step of the same deployment needs them. */
  protect(paths: readonly StorePath[]): Promise<void>
}

export interface NativeStore extends StoreOperations {
  readonly kind: 'native'
  registrations(paths: readonly StorePath[]): Promise<readonly Registration[]>
  /**
   * Fails, with an error that names them, if some of these paths were altered; those are not valid any more then. Returns those in which
   * only times have changed.
   */
  refuseAltered(paths: readonly StorePath[]): Promise<readonly StorePath[]>
  /**
   * One tar stream of valid paths, below `paths`, and of the registrations that make them valid elsewhere, below `records`. It fails at the
   * end of a path that was altered.
   */
  export(paths: readonly StorePath[]): Readable
  /** Returns further paths that builds see. */
  buildPaths(): readonly string[]
  /** Describes how to build a derivation on another machine, on which everything that it needs is valid. */
  remoteBuild(derivation: StorePath, machine: BuildMachine): Promise<RemoteBuild>
  /** Makes outputs valid that another machine has built from valid inputs. Returns the registrations for that machine, in order. */
  addOutputs(built: BuiltElsewhere): Promise<readonly Registration[]>
  /** Makes copies of paths of another machine valid, with all that they need, and protects them. Returns what was not valid before. */
  addCopies(copies: CopiesElsewhere): Promise<readonly Registration[]>
}

export interface NixStore extends StoreOperations {
  readonly kind: 'nix'
  /** Calls a function with a client of the store, through which paths are copied. */
  withServe<Result>(use: (client: ServeClient) => Promise<Result>): Promise<Result>
  /** Writes valid paths to a file as `nix-store --export` does; referenced paths come before those that refer to them. */
  exportPaths(paths: readonly StorePath[], file: TransferredFile): Promise<void>
  /** Makes the paths valid that such a file has. */
  importPaths(file: TransferredFile): Promise<void>
}

export interface TransferredFile {
  readonly file: string
  readonly signal: AbortSignal
}

export interface RealiseOptions extends BuildOptions {
  /** Builds at a time; by default as the store is configured, or one per processor if it has no such setting. */
  readonly maxJobs?: number
}

export interface UnbuiltDerivation {
  readonly derivation: StorePath
  readonly name: string
  readonly system: System
  readonly outputs: readonly StorePath[]
  /** Other unbuilt derivations whose outputs it needs. */
  readonly waitsFor: readonly StorePath[]
  /** Valid paths that, with their closures, have to be on the machine that builds it. */
  readonly requires: readonly StorePath[]
}

export interface ProfileContents {
  /** Name of the target. */
  readonly name: string
  readonly packages: readonly StorePath[]
  /** Text of its profile manifest in XML. */
  readonly profileManifest: string
  /** Paths that `addModule` returned, by type. */
  readonly modules: ReadonlyMap<string, StorePath>
}
