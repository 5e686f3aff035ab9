import type { Plugin } from 'esbuild'
import { apiFile } from '../shipped.ts'

/** To be injected: what a model prints is for people, and standard output belongs to documents. */
export const CONSOLE = 'davit-console'
const CONSOLE_FILTER = /^davit-console$/
const CONSOLE_MODULE = `
  import { Console } from 'node:console'
  import { stderr } from 'node:process'
  export const console = /* @__PURE__ */ new Console(stderr, stderr)`

/** `import … from 'davit'` works wherever a model lies, and paths are relative to the file that says them. */
export function davitImports(): Plugin {
  const api = JSON.stringify(apiFile())
  return {
    name: 'davit-imports',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^davit$/ }, ({ resolveDir }) => ({ path: resolveDir, namespace: 'davit' }))
      onResolve({ filter: CONSOLE_FILTER }, () => ({ path: CONSOLE, namespace: CONSOLE }))
      onLoad({ filter: /.*/, namespace: CONSOLE }, () => ({ contents: CONSOLE_MODULE, resolveDir: '/' }))
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
