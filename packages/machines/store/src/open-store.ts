import type { StoreReference } from '@davit/documents'
import type { Environment } from '@davit/process'
import { openNativeStore } from './native/native-store.ts'
import { openNixStore } from './nix/nix-store.ts'
import type { Store } from './store-interface.ts'

/** Opens the store that a document names; reads and writes nothing before its first operation. */
export async function openStore(
  { kind, directory }: StoreReference,
  { environment }: { readonly environment: Environment },
): Promise<Store> {
  return kind === 'native' ? openNativeStore({ directory, environment }) : openNixStore({ directory, environment })
}
