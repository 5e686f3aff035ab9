import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { StoreReference } from '@davit/documents'
import type { Environment } from '@davit/process'
import { openNativeStore } from './native-store.ts'
import type { Store } from './store-interface.ts'

/** The store that a document names. */
export async function openStore(
  { kind, directory }: StoreReference,
  { environment }: { readonly environment: Environment },
): Promise<Store> {
  if (kind === 'native') return openNativeStore({ directory, environment })
  throw new DavitError(
    'unsupported-store',
    `the packages are in a Nix store, '${directory}', which this version of davit cannot use`,
    {
      exitStatus: ExitStatus.badDocument,
    },
  )
}
