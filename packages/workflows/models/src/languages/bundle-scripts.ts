import { resolve } from 'node:path'
import type { Diagnostic } from '@davit/diagnostics'
import type * as Esbuild from 'esbuild'
import { CONSOLE, davitImports } from './davit-imports.ts'
import { importModule } from './import-module.ts'
import { moduleLocations } from './module-locations.ts'
import { npmPackages } from './npm-packages.ts'
import { invalidModel } from '../reading/problems.ts'
import type { ShowFile } from './show-file.ts'

export interface BundleOptions {
  readonly directory: string
  readonly showFile: ShowFile
  /** Gets the text of each file that becomes part of the bundle, as it was read. */
  readonly tellText: (path: string, text: string) => void
}

export interface ScriptsBundled {
  readonly outputs: readonly Esbuild.OutputFile[]
  /** What the bundle consists of; names are relative to `/`. */
  readonly metafile: Esbuild.Metafile
}

/** Bundles programs together, so that a file which several of them import is one module; their outputs are named `entry0.mjs`, … */
export async function bundleScripts(
  paths: readonly string[],
  { directory, showFile, tellText }: BundleOptions,
): Promise<ScriptsBundled> {
  const esbuild = (await importModule('esbuild')) as typeof Esbuild
  try {
    const { outputFiles: outputs, metafile } = await esbuild.build({
      entryPoints: paths.map((path, index) => ({ in: path, out: `entry${index}` })),
      absWorkingDir: '/',
      banner: { js: REQUIRE },
      bundle: true,
      format: 'esm',
      inject: [CONSOLE],
      logLevel: 'silent',
      metafile: true,
      outdir: directory,
      outExtension: { '.js': '.mjs' },
      platform: 'node',
      plugins: [davitImports(), npmPackages(), moduleLocations(esbuild, tellText)],
      sourcemap: 'external',
      splitting: true,
      target: 'node20',
      write: false,
    })
    return { outputs, metafile }
  } catch (error) {
    if (!isBuildFailure(error)) throw error
    throw invalidModel(
      error.errors.map((message) => diagnosticOf(message, showFile)),
      error,
    )
  }
}

/** Defines `require`, with which CommonJS modules in a bundle load Node's built-in modules. */
const REQUIRE =
  "import { createRequire as davitCreateRequire } from 'node:module'; const require = davitCreateRequire(import.meta.url);"

function isBuildFailure(error: unknown): error is Esbuild.BuildFailure {
  return error instanceof Error && Array.isArray((error as { readonly errors?: unknown }).errors)
}

function diagnosticOf({ text, location, detail }: Esbuild.Message, showFile: ShowFile): Diagnostic {
  const message = (detail instanceof Error ? detail.message : text).replace(/"davit:[^"]*"/, '"davit"')
  const diagnostic = { severity: 'error' as const, message: message.charAt(0).toLowerCase() + message.slice(1) }
  if (location === null) return diagnostic
  const { line, lineText } = location
  // Columns count bytes from 0.
  const column = Buffer.from(lineText).subarray(0, location.column).toString().length + 1
  return { ...diagnostic, place: { file: showFile(resolve('/', location.file)), line, column, text: lineText } }
}
