import type { Readable } from 'node:stream'
import type { InstantiatedPackage, PackageRequest, StorePath, StoreReference, System } from '@davit/documents'
import type { LifecycleModule } from '@davit/modules'
import type { ServeClient } from '@davit/nix'
import type { BuiltElsewhere } from './native/add-outputs.ts'
import type { BuildOptions } from './native/build-output.ts'
import type { Registration } from './native/registration.ts'
import type { BuildMachine, RemoteBuild } from './native/remote-build.ts'

/** The coordinator's half of a store: how packages are built, and what has to be carried. */
export type Store = NativeStore | NixStore

export interface StoreOperations {
  readonly reference: StoreReference
  /** In the order of the requests. Builds nothing. What it makes is protected. */
  instantiate(requests: readonly PackageRequest[]): Promise<readonly InstantiatedPackage[]>
  /** Builds what is not valid. All failed builds are in one DavitError 'build-failed', with the ends of their logs. */
  realise(packages: readonly InstantiatedPackage[], options: RealiseOptions): Promise<void>
  /** What has to be built, by derivation, until all of these packages are valid. */
  unbuilt(packages: readonly InstantiatedPackage[]): Promise<ReadonlyMap<StorePath, UnbuiltDerivation>>
  /** What derivations build, whether it is valid or not; for who knows derivations only. */
  outputs(derivations: readonly StorePath[]): Promise<ReadonlyMap<StorePath, readonly StorePath[]>>
  /** What valid paths need (of packages: at run time; of derivations: to be built), referenced paths before those that refer to them. */
  closure(paths: readonly StorePath[]): Promise<readonly StorePath[]>
  invalidPaths(paths: readonly StorePath[]): Promise<readonly StorePath[]>
  /** What it makes is protected. */
  addModule(type: string, module: LifecycleModule): Promise<StorePath>
  /** All at a time, in the order given; what it makes is protected. */
  addProfiles(profiles: readonly ProfileContents[]): Promise<readonly StorePath[]>
  /** Keeps paths and their closures, in place of what was kept by this name before. */
  addRoot(name: string, paths: readonly StorePath[]): Promise<void>
  removeRoot(name: string): Promise<void>
  /** Keeps paths and their closures for a day: until a later step of the same deployment needs them. */
  protect(paths: readonly StorePath[]): Promise<void>
}

export interface NativeStore extends StoreOperations {
  readonly kind: 'native'
  registrations(paths: readonly StorePath[]): Promise<readonly Registration[]>
  /** One tar stream of valid paths, named relative to the store directory. */
  export(paths: readonly StorePath[]): Readable
  /** How a derivation is built on another machine, on which all that it needs is valid. */
  remoteBuild(derivation: StorePath, machine: BuildMachine): Promise<RemoteBuild>
  /** Makes valid what another machine has built from derivations whose inputs are; in their order, what is to be recorded there. */
  addOutputs(built: BuiltElsewhere): Promise<readonly Registration[]>
}

export interface NixStore extends StoreOperations {
  readonly kind: 'nix'
  /** Speaks with the store itself, through which paths are copied. */
  withServe<Result>(use: (client: ServeClient) => Promise<Result>): Promise<Result>
}

export interface RealiseOptions extends BuildOptions {
  /** How many builds may run at a time; what the store's own settings say when absent, and one per processor where it has none. */
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
  /** Type → path that `addModule` gave. */
  readonly modules: ReadonlyMap<string, StorePath>
}
