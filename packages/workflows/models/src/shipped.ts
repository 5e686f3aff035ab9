import { fileURLToPath } from 'node:url'

// Files that are shipped with the code. In a bundle they have the same relative path as here, so this file must stay in this folder.

/** Path of one of davit's programs in the Nix language. */
export function glueFile(name: 'data' | 'metadata' | 'packages' | 'value'): string {
  return fileURLToPath(new URL(`../nix/model-${name}.nix`, import.meta.url))
}

/** Path of the library that typed models import. */
export function apiFile(): string {
  return fileURLToPath(new URL('../api/davit.mjs', import.meta.url))
}
