import { resolve } from 'node:path'
import type { Metafile } from 'esbuild'

/** Returns the files that programs import, directly or indirectly; without themselves, npm packages and what davit's library consists of. */
export function importedFiles({ inputs }: Metafile, programs: readonly string[]): readonly string[] {
  const found = new Set(programs.map(inputOf))
  // New members are visited too.
  for (const input of found) {
    for (const { path, external } of inputs[input]?.imports ?? []) {
      if (external !== true && !isElsewhere(path)) found.add(path)
    }
  }
  return [...found].slice(new Set(programs).size).map((input) => resolve('/', input))
}

/** Name of a file in the description of a bundle whose working directory is `/`. */
function inputOf(path: string): string {
  return path.slice(1)
}

/** Whether a module has no file, such as `davit:/home/…`, or is part of a package. */
function isElsewhere(input: string): boolean {
  return /^[a-z-]+:/.test(input) || `/${input}`.includes('/node_modules/')
}
