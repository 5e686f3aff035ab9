export { currentSystem } from './current-system.ts'
export type { BuiltElsewhere } from './native/add-outputs.ts'
export { logEndOf } from './native/build-log.ts'
export { HIDDEN, type Isolation, ISOLATIONS } from './native/isolation.ts'
export { type NativeStoreOptions, openNativeStore } from './native/native-store.ts'
export { openStore } from './open-store.ts'
export { type CollectablePath, type CollectionTerms, planCollection } from './native/plan-collection.ts'
export { encodeRegistration, parseRegistration, type Registration } from './native/registration.ts'
export type { BuildMachine, RemoteBuild } from './native/remote-build.ts'
export { defaultStore, type StoreDirectoryChoice } from './store-directory.ts'
export type {
  NativeStore,
  NixStore,
  ProfileContents,
  RealiseOptions,
  Store,
  UnbuiltDerivation,
} from './store-interface.ts'
export { sizeLimitIn } from './size-limit.ts'
export { type StoreLayout, storeLayout } from './native/store-layout.ts'
export { unsetVariableIn } from './unset-variable.ts'
export { packageNameOf } from './native/store-path.ts'
