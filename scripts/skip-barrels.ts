import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Plugin } from 'esbuild'
import { packageDirectories, readManifest } from './executables.ts'

/**
 * Imports what our packages export directly from the files that define it. With the lists of exports in between, importing one
 * function would load everything that its package exports.
 */
export const skipBarrels: Plugin = {
  name: 'skip-barrels',
  setup({ onLoad }) {
    const barrels = new Map(packageDirectories().map((directory) => [readManifest(directory).name, directory]))
    const exportsOf = remembered((name: string) => exportsIn(barrels.get(name) ?? ''))
    onLoad({ filter: /\/packages\/.*\/src\/.*\.ts$/ }, ({ path }) => ({
      loader: 'ts',
      contents: readFileSync(path, 'utf8').replaceAll(IMPORT, (_, list: string, name: string) =>
        valuesIn(list)
          .map(({ original, local }) => {
            const { file, original: defined } = exportsOf(name).get(original) ?? { file: name, original }
            return `import { ${defined} as ${local} } from ${JSON.stringify(file)}`
          })
          .join(';'),
      ),
    }))
  },
}

const IMPORT = /^import \{([^}]*)\} from '(@davit\/[\w-]+)'$/gm
const EXPORT = /^export \{([^}]*)\} from '(\.\/[^']*)'$/gm

interface Definition {
  /** Absolute path. */
  readonly file: string
  /** Name in that file. */
  readonly original: string
}

/** Returns where the names that a package exports are defined. */
function exportsIn(directory: string): ReadonlyMap<string, Definition> {
  const text = readFileSync(join(directory, 'src', `${basename(directory)}.ts`), 'utf8')
  return new Map(
    [...text.matchAll(EXPORT)].flatMap(([, list = '', from = '']) =>
      valuesIn(list).map(({ original, local }) => [local, { file: join(directory, 'src', from), original }] as const),
    ),
  )
}

/** Parses the list of an import or export, without types. */
function valuesIn(list: string): readonly { readonly original: string; readonly local: string }[] {
  const items = list.split(',').map((item) => item.trim())
  return items
    .filter((item) => item !== '' && !item.startsWith('type '))
    .map((item) => {
      const [original = '', local = original] = item.split(' as ')
      return { original, local }
    })
}

function remembered<Value>(make: (name: string) => Value): (name: string) => Value {
  const made = new Map<string, Value>()
  return (name) => {
    const value = made.get(name) ?? make(name)
    made.set(name, value)
    return value
  }
}
