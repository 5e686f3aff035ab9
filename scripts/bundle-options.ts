import type { BuildOptions } from 'esbuild'
import { ROOT } from './executables.ts'

/** What all bundles have in common. */
export const BUNDLE = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: 'node',
  target: 'node20',
  // jsonc-parser's main entry cannot be bundled.
  mainFields: ['module', 'main'],
  // Native add-ons of ssh2 are not needed; esbuild has an executable of its own.
  external: ['esbuild', 'cpu-features', '*.node'],
  logLevel: 'warning',
  metafile: true,
} satisfies BuildOptions
