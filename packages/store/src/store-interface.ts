import type { Readable } from 'node:stream'
import type { InstantiatedPackage, PackageRequest, StorePath, StoreReference } from '@davit/documents'
import type { LifecycleModule } from '@davit/modules'
import type { ProfileContents } from './add-package.ts'
import type { RealiseOptions } from './realise.ts'
import type { Registration } from './registration.ts'

/** The coordinator's half of a store: how packages are built, and what has to be carried. */
export interface Store {
  readonly reference: StoreReference
  /** In the order of the requests. Builds nothing. */
  instantiate(requests: readonly PackageRequest[]): Promise<readonly InstantiatedPackage[]>
  /** Builds what is not valid. All failed builds are in one DavitError 'build-failed', with the ends of their logs. */
  realise(packages: readonly InstantiatedPackage[], options: RealiseOptions): Promise<void>
  /** What is needed at run time, referenced paths before those that refer to them. */
  closure(paths: readonly StorePath[]): Promise<readonly StorePath[]>
  registrations(paths: readonly StorePath[]): Promise<readonly Registration[]>
  invalidPaths(paths: readonly StorePath[]): Promise<readonly StorePath[]>
  /** One tar stream of valid paths, named relative to the store directory. */
  export(paths: readonly StorePath[]): Readable
  addModule(type: string, module: LifecycleModule): Promise<StorePath>
  addProfile(contents: ProfileContents): Promise<StorePath>
  addRoot(name: string, path: StorePath): Promise<void>
  removeRoot(name: string): Promise<void>
}
