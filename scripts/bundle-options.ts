import { join } from 'node:path'
import type { BuildOptions, Plugin } from 'esbuild'
import { ROOT } from './executables.ts'

const PACKAGES = join(ROOT, 'packages/')

/** Marks our modules as free of side effects, so that a tool contains only what it uses, and starts faster. */
const pureModules: Plugin = {
  name: 'pure-modules',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^(\.|\/|@davit\/)/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      if (pluginData === 'asked' || !importer.startsWith(PACKAGES)) return undefined
      const found = await resolve(path, { kind, importer, resolveDir, pluginData: 'asked' })
      return found.path.startsWith(PACKAGES) ? { ...found, sideEffects: false } : found
    })
  },
}

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
  plugins: [pureModules],
  logLevel: 'warning',
  metafile: true,
} satisfies BuildOptions
