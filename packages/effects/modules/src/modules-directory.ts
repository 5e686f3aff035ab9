import { fileURLToPath } from 'node:url'

/** Directory of the modules that davit ships; an installation keeps them at the same place relative to its executables. */
export const DIRECTORY = fileURLToPath(new URL('../modules', import.meta.url))
