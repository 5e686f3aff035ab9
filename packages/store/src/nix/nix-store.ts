import type { Environment } from '@davit/process'
import type { NixStore } from '../store-interface.ts'

export interface NixStoreOptions {
  readonly directory: string
  /** For the programs of Nix (PATH), and all that they read in it. */
  readonly environment: Environment
}

/** The real Nix, through its own commands. */
export async function openNixStore(options: NixStoreOptions): Promise<NixStore> {
  throw new Error(`not yet: ${options.directory}`)
}
