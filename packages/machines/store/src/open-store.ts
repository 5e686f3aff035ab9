import type { StoreReference } from '@davit/documents'
import type { Environment } from '@davit/process'
import { openNativeStore } from './native/native-store.ts'
import { openNixStore } from './nix/nix-store.ts'
import type { Store } from './store-interface.ts'

/** The store that a document names; nothing is read or written before something is asked of it. */
export async function openStore(
  { kind, directory }: StoreReference,
  { environment }: { readonly environment: Environment },
): Promise<Store> {
  return kind === 'native' ? openNativeStore({ directory, environment }) : openNixStore({ directory, environment })
}
