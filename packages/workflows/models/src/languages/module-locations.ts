import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Loader, OnLoadResult, Plugin, transform, TransformFailure } from 'esbuild'

/** Gives a bundled file the `import.meta.url`, `import.meta.dirname` and `__dirname` of the user's file, and tells its text. */
export function moduleLocations(
  esbuild: { readonly transform: typeof transform },
  tellText: (path: string, text: string) => void,
): Plugin {
  return {
    name: 'module-locations',
    setup({ onLoad }) {
      onLoad({ filter: /./, namespace: 'file' }, async ({ path }) => {
        const text = await readFile(path, 'utf8')
        tellText(path, text)
        return PROGRAM.test(path) && /import\.meta|__dirname|__filename/.test(text)
          ? withLocation(text, path)
          : undefined
      })
    },
  }

  async function withLocation(text: string, path: string): Promise<OnLoadResult> {
    const loader: Loader = /\.[cm]?ts$/.test(path) ? 'ts' : 'js'
    try {
      const { code } = await esbuild.transform(text, {
        define: definitions(path),
        loader,
        logLevel: 'silent',
        sourcefile: path,
        sourcemap: 'inline',
        target: 'node20',
      })
      return { contents: code, loader: 'js' }
    } catch (error) {
      // The bundler then finds the same error in the unchanged text, and reports its place.
      if (Array.isArray((error as Partial<TransformFailure>).errors)) return { contents: text, loader }
      throw error
    }
  }
}

const PROGRAM = /\.[cm]?[jt]s$/

function definitions(path: string): Record<string, string> {
  const [file, directory] = [JSON.stringify(path), JSON.stringify(dirname(path))]
  return {
    'import.meta.url': JSON.stringify(pathToFileURL(path).href),
    'import.meta.filename': file,
    'import.meta.dirname': directory,
    __filename: file,
    __dirname: directory,
  }
}
