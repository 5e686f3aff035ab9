import { fileURLToPath } from 'node:url'
import type { Plugin } from 'esbuild'

/** `import … from 'davit'` works wherever a model lies, and paths are relative to the file that says them. */
export function davitImports(): Plugin {
  const api = JSON.stringify(fileURLToPath(new URL('../api/davit.mjs', import.meta.url)))
  return {
    name: 'davit-imports',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^davit$/ }, ({ resolveDir }) => ({ path: resolveDir, namespace: 'davit' }))
      onLoad({ filter: /.*/, namespace: 'davit' }, ({ path }) => ({
        contents: `
          export * from ${api}
          import { packagesIn } from ${api}
          export const { source, build } = packagesIn(${JSON.stringify(path)})`,
        resolveDir: '/',
      }))
    },
  }
}
