import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build, transform } from 'esbuild'
import { BUNDLE } from './bundle-options.ts'
import type { Executable } from './executables.ts'
import { packagesOf } from './licences.ts'
import { skipBarrels } from './skip-barrels.ts'

/**
 * Bundles executables into parts in a directory: `NAME.js`, and `part-….js` for whatever is imported only if needed, or is shared
 * by such. Each part is a function of a CommonJS module, for `scripts/launcher`, and lists its sources at its end. Returns the directories of the bundled npm packages.
 */
export async function splitPrograms(
  programs: readonly Pick<Executable, 'name' | 'entry'>[],
  directory: string,
): Promise<ReadonlySet<string>> {
  mkdirSync(directory, { recursive: true })
  // Together, all would share so many small parts that loading them takes longer.
  const inputs = await Promise.all(programs.map((program) => splitProgram(program, directory)))
  return packagesOf(inputs.flat())
}

async function splitProgram({ name, entry }: Pick<Executable, 'name' | 'entry'>, directory: string) {
  const { outputFiles, metafile } = await build({
    ...BUNDLE,
    plugins: [skipBarrels, ...BUNDLE.plugins],
    entryPoints: [{ in: entry, out: name }],
    outdir: directory,
    format: 'esm',
    splitting: true,
    chunkNames: 'part-[hash]',
    define: { 'import.meta.url': 'importMetaUrl' },
    write: false,
  })
  const contents = new Map(Object.entries(metafile.outputs).map(([path, { inputs }]) => [basename(path), inputs]))
  for (const { path, text } of outputFiles) {
    const sources = Object.keys(contents.get(basename(path)) ?? {})
    const list = sources.map((source) => `// ${source}\n`).join('')
    writeFileSync(join(directory, basename(path)), `${await asFunction(text)}\n${list}`)
  }
  return Object.keys(metafile.inputs)
}

/** Makes a function of a CommonJS module, as Node.js does. The launcher reads it as Latin-1, which costs less and needs ASCII. */
async function asFunction(part: string): Promise<string> {
  const { code } = await transform(part, {
    format: 'cjs',
    platform: 'node',
    target: BUNDLE.target,
    // Compiled code cannot call import() itself; a part is loaded by `require`.
    supported: { 'dynamic-import': false },
  })
  const program = code.replace(/^#!.*/, '')
  const address = program.includes('importMetaUrl') ? ADDRESS : ''
  const wrapped = `(function (exports, require, module, __filename, __dirname) {${address}${program}\n})`
  // Left in comments only: esbuild escapes everything else.
  return wrapped.replaceAll(/\P{ASCII}/gu, '?')
}

/** Assets are found through it. */
const ADDRESS = "const importMetaUrl = require('node:url').pathToFileURL(__filename).href;"
