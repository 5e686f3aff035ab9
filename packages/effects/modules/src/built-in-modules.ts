import { fileURLToPath } from 'node:url'

import { checkProcess } from './check-process.ts'
import { type LifecycleModule, readModules } from './read-modules.ts'

/** Reads the modules that davit ships; an installation keeps them at the same place relative to its executables. */
export async function builtInModules(): Promise<ReadonlyMap<string, LifecycleModule>> {
  const modules = await readModules(fileURLToPath(new URL('../modules', import.meta.url)))
  return new Map(
    [...modules].map(([name, module]) => [
      name,
      name === 'process' ? { ...module, checkComponent: checkProcess } : module,
    ]),
  )
}
