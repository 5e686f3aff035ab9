import { builtInModules } from './built-in-modules.ts'
import { type LifecycleModule, readModules } from './read-modules.ts'

/** Reads the modules of davit and of the user's directories; a later directory takes precedence over an earlier one. */
export async function modulesOf(directories: readonly string[]): Promise<ReadonlyMap<string, LifecycleModule>> {
  const tables = [await builtInModules(), ...(await Promise.all(directories.map(readModules)))]
  return new Map(tables.flatMap((table) => [...table]))
}
