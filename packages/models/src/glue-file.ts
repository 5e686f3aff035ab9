import { fileURLToPath } from 'node:url'

/** A program of ours in the Nix language; here, because a bundle has them at the same place relative to itself. */
export function glueFile(name: 'metadata' | 'packages' | 'value'): string {
  return fileURLToPath(new URL(`../nix/model-${name}.nix`, import.meta.url))
}
