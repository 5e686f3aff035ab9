import { fileURLToPath } from 'node:url'

// What is shipped beside the code. A bundle has it at the same place relative to itself as this file: so it stays in this folder.

/** A program of ours in the Nix language. */
export function glueFile(name: 'metadata' | 'packages' | 'value'): string {
  return fileURLToPath(new URL(`../nix/model-${name}.nix`, import.meta.url))
}

/** What typed models import. */
export function apiFile(): string {
  return fileURLToPath(new URL('../api/davit.mjs', import.meta.url))
}
