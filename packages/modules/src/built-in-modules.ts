import { fileURLToPath } from 'node:url'
import { type LifecycleModule, readModules } from './read-modules.ts'

/** The modules that davit ships; an installation keeps them at the same place relative to its executables. */
export function builtInModules(): Promise<ReadonlyMap<string, LifecycleModule>> {
  return readModules(fileURLToPath(new URL('../modules', import.meta.url)))
}
