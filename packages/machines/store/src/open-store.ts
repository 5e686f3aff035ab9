import type { StoreReference } from '@davit/documents'
import type { Environment } from '@davit/process'
import { openNativeStore } from './native/native-store.ts'
import { openNixStore } from './nix/nix-store.ts'
import type { Store } from './store-interface.ts'

export interface StoreOptions {
  readonly environment: Environment
  /** Whether builds from fetched stacks may run where they are not isolated; Nix isolates builds as it is configured. */
  readonly trustsBuilds?: boolean | undefined
}

/** Opens the store that a document names; reads and writes nothing before its first operation. */
export async function openStore(
  { kind, directory }: StoreReference,
  { environment, trustsBuilds }: StoreOptions,
): Promise<Store> {
  return kind === 'native'
    ? openNativeStore({ directory, environment, trustsBuilds })
    : openNixStore({ directory, environment })
}
