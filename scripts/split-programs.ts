import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { context, type Plugin, transform } from 'esbuild'
import { BUNDLE } from './bundle-options.ts'
import type { Executable } from './executables.ts'
import { packagesOf } from './licences.ts'
import { skipBarrels } from './skip-barrels.ts'

type Program = Pick<Executable, 'name' | 'entry'>

/**
 * Bundles executables into parts in a directory: `NAME.js`, and `part-….js` for whatever is imported only if needed, or is shared
 * by such. Each part is a function of a CommonJS module, for `scripts/launcher`, and lists its sources at its end. Returns the directories of the bundled npm packages.
 */
export async function splitPrograms(programs: readonly Program[], directory: string): Promise<ReadonlySet<string>> {
  mkdirSync(directory, { recursive: true })
  const splitter = await makeSplitter()
  const inputs = new Set<string>()
  const written: Promise<void>[] = []
  try {
    // Together, all would share so many small parts that loading them takes longer.
    for (const program of programs) {
      const split = await splitter.split(program)
      for (const source of split.inputs) inputs.add(source)
      written.push(...split.parts.map(({ name, text, sources }) => writePart(join(directory, name), text, sources)))
    }
    await Promise.all(written)
  } finally {
    await splitter.dispose()
  }
  return packagesOf(inputs)
}

/** A part of a program as an ESM module. */
interface Part {
  /** Name of its file. */
  readonly name: string
  readonly text: string
  readonly sources: readonly string[]
}

/** Splits one program after another. To esbuild it is the same program each time, so that it parses a file only for the first that contains it. */
async function makeSplitter() {
  // By default, a third of the time goes into collecting garbage.
  process.env['GOGC'] ??= '800'
  process.env['GOMEMLIMIT'] ??= '500MiB'
  let entry = ''
  const chooseEntry: Plugin = {
    name: 'choose-entry',
    setup({ onResolve }) {
      onResolve({ filter: /^davit-program$/ }, () => ({ path: entry }))
    },
  }
  const { rebuild, dispose } = await context({
    ...BUNDLE,
    plugins: [chooseEntry, skipBarrels],
    entryPoints: ['davit-program'],
    outdir: '/',
    format: 'esm',
    splitting: true,
    chunkNames: 'part-[hash]',
    define: { 'import.meta.url': 'importMetaUrl' },
    write: false,
  })
  return {
    dispose,
    async split(program: Program) {
      entry = program.entry
      const { outputFiles, metafile } = await rebuild()
      const contents = new Map(Object.entries(metafile.outputs).map(([path, { inputs }]) => [basename(path), inputs]))
      const parts = outputFiles.map(({ path, text }): Part => {
        const file = basename(path)
        const name = file === 'davit-program.js' ? `${program.name}.js` : file
        return { name, text, sources: Object.keys(contents.get(file) ?? {}) }
      })
      return { parts, inputs: Object.keys(metafile.inputs) }
    },
  }
}

async function writePart(path: string, text: string, sources: readonly string[]): Promise<void> {
  const list = sources.map((source) => `// ${source}\n`).join('')
  writeFileSync(path, `${await asFunction(text)}\n${list}`)
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
