import type { Plugin } from 'esbuild'
import { apiFile } from '../shipped.ts'

/** Injected module: the output of models goes to standard error, since standard output is for documents. */
export const CONSOLE = 'davit-console'
const CONSOLE_FILTER = /^davit-console$/
const CONSOLE_MODULE = `
  import { Console } from 'node:console'
  import { stderr } from 'node:process'
  export const console = /* @__PURE__ */ new Console(stderr, stderr)`

/** Resolves `import … from 'davit'` from every directory; paths are relative to the file that contains them. */
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
