import { isBuiltin } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { OnResolveResult, Plugin, ResolveResult } from 'esbuild'

const ASKED = Symbol('asked')

/** Finds npm packages from the model's own directory, and has Node itself load them, as their authors expect. */
export function npmPackages(): Plugin {
  return {
    name: 'npm-packages',
    setup({ onResolve, resolve }) {
      onResolve({ filter: /^[^./]/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
        if (pluginData === ASKED || kind === 'entry-point' || isBuiltin(path)) return undefined
        const found = await resolve(path, { kind, importer, resolveDir, pluginData: ASKED })
        return isNpmProgram(found) ? { path: addressOf(found.path, kind), external: true } : resultOf(found)
      })
    },
  }
}

const NPM_DIRECTORY = /[\\/]node_modules[\\/]/
const PROGRAM = /\.(?:[cm]?js|node)$/

function isNpmProgram({ errors, external, path }: ResolveResult): boolean {
  return errors.length === 0 && !external && NPM_DIRECTORY.test(path) && PROGRAM.test(path)
}

function addressOf(path: string, kind: string): string {
  return kind === 'require-call' ? path : pathToFileURL(path).href
}

function resultOf({ errors, external, namespace, path }: ResolveResult): OnResolveResult | undefined {
  return errors.length > 0 ? undefined : { path, namespace, external }
}
