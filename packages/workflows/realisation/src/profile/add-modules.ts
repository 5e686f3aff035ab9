import type { StorePath } from '@davit/documents'
import type { LifecycleModule } from '@davit/modules'
import type { Store } from '@davit/store'

/** Adds modules to the store; returns their paths, by type. */
export async function addModules(
  modules: ReadonlyMap<string, LifecycleModule>,
  store: Store,
): Promise<ReadonlyMap<string, StorePath>> {
  const paths = [...modules].map(async ([type, module]): Promise<[string, StorePath]> => {
    return [type, await store.addModule(type, module)]
  })
  return new Map(await Promise.all(paths))
}
