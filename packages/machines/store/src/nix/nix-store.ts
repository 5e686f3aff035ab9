import { exportPaths, importPaths, withLocalServe } from '@davit/nix'
import type { Environment } from '@davit/process'
import type { NixStore } from '../store-interface.ts'
import { addModule, addProfiles } from './add-packages.ts'
import { closureOf, invalidPaths, outputsOf } from './closure.ts'
import { instantiate } from './instantiate.ts'
import { nixContext } from './nix-context.ts'
import { realise } from './realise.ts'
import { addRoot, hasRoot, protect, removeRoot } from './roots.ts'
import { unbuilt } from './unbuilt.ts'

export interface NixStoreOptions {
  readonly directory: string
  /** Environment of the programs of Nix, which its PATH locates. */
  readonly environment: Environment
}

/** Opens the store of the real Nix, through its own commands; starts nothing before its first operation. */
export async function openNixStore({ directory, environment }: NixStoreOptions): Promise<NixStore> {
  const context = nixContext(directory, environment)
  return {
    kind: 'nix',
    reference: { kind: 'nix', directory },
    instantiate: (requests) => instantiate(context, requests),
    realise: (packages, options) => realise(context, packages, options),
    unbuilt: (packages) => unbuilt(context, packages),
    outputs: (derivations) => outputsOf(context, derivations),
    closure: (paths) => closureOf(context, paths),
    invalidPaths: (paths) => invalidPaths(context, paths),
    addModule: (type, module) => addModule(context, type, module),
    addProfiles: (profiles) => addProfiles(context, profiles),
    addRoot: (name, paths) => addRoot(context, name, paths),
    hasRoot: async (name, paths) => hasRoot(context, name, paths),
    removeRoot: (name) => removeRoot(context, name),
    protect: (paths) => protect(context, paths),
    // Not the shared client: whoever copies paths may have to close it.
    withServe: (use) => withLocalServe(environment, use),
    exportPaths: (paths, file) => exportPaths(paths, { ...file, environment }),
    importPaths: (file) => importPaths({ ...file, environment }),
  }
}
