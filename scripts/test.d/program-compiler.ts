import { chmodSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll } from 'vitest'
import { BUNDLE } from '../bundle-options.ts'
import { ROOT } from '../executables.ts'

/** The file of a program, or its text, which may import files by absolute paths. */
type Source = URL | string

/** What programs find beside their directory: packages that cannot be bundled, and the library of stacks. */
const BESIDE = ['node_modules', 'packages/shipped/stack-library/stack-library']

/**
 * Returns a function that compiles a program in TypeScript, and returns the path of the result, which any account may run. A compiled
 * program starts in a fifth of the processor time that it takes with tsx. All are removed after the tests of the file.
 */
export function programCompiler(): (source: Source) => Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'davit-programs-'))
  chmodSync(directory, 0o755)
  for (const path of BESIDE) symlinkSync(join(ROOT, path), join(directory, basename(path)))
  afterAll(() => rmSync(directory, { recursive: true, force: true }))
  const compiled = new Map<string, Promise<string>>()
  return (source) => {
    const known = compiled.get(String(source))
    const path = known ?? compile(source, join(directory, 'programs', `${compiled.size}.mjs`))
    compiled.set(String(source), path)
    return path
  }
}

async function compile(source: Source, outfile: string): Promise<string> {
  const input =
    source instanceof URL
      ? { entryPoints: [fileURLToPath(source)] }
      : { stdin: { contents: source, resolveDir: ROOT, loader: 'ts' as const } }
  const external = [...BUNDLE.external, 'vitest']
  await build({ ...BUNDLE, ...input, external, outfile, format: 'esm', banner: { js: REQUIRE } })
  return outfile
}

/** Bundled CommonJS modules use `require`. */
const REQUIRE = "import { createRequire as make } from 'node:module'; const require = make(import.meta.url);"
