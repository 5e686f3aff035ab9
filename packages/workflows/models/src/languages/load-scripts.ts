import { writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import { settled } from '@davit/process'
import type { OutputFile } from 'esbuild'
import { bundleScripts } from './bundle-scripts.ts'
import { importedFiles } from './imported-files.ts'
import { importModule } from './import-module.ts'
import { isObject, memberOf } from '../reading/part.ts'
import type { Model } from '../reading/model.ts'
import { readModelText } from './read-model-text.ts'
import { scriptFailure } from './script-failure.ts'
import { type ShowFile, showLike } from './show-file.ts'

/** Loads models in TypeScript and JavaScript; `directory` contains their bundle while they are evaluated. */
export async function loadScripts(files: readonly string[], directory: string): Promise<readonly Model[]> {
  if (files.length === 0) return []
  const texts = await Promise.all(files.map(readModelText))
  const showFile = showLike(files)
  const paths = files.map((file) => resolve(file))
  const read = new Map<string, string>()
  const tellText = (path: string, text: string) => read.set(path, text)
  const { outputs, metafile } = await bundleScripts(paths, { directory, showFile, tellText })
  const imported = () => importedFiles(metafile, paths).map((file) => ({ file, text: read.get(file) ?? '' }))
  await Promise.all(outputs.map(({ path, contents }) => writeFile(path, contents)))
  const models: Model[] = []
  // One after the other, so that errors come in a fixed order.
  for (const [index, file] of files.entries()) {
    const bundle = { entry: join(directory, `entry${index}.mjs`), outputs, showFile }
    const sources = () => [{ file: resolve(file), text: texts[index] ?? '' }, ...imported()]
    models.push({ ...(await importScript(file, bundle)), sources })
  }
  return models
}

interface ScriptBundle {
  readonly entry: string
  readonly outputs: readonly OutputFile[]
  readonly showFile: ShowFile
}

async function importScript(file: string, { entry, outputs, showFile }: ScriptBundle): Promise<Omit<Model, 'sources'>> {
  const failureOf = (thrown: unknown) => scriptFailure(thrown, { file, outputs, showFile })
  const exported: unknown = await settled(importModule(pathToFileURL(entry).href)).catch((thrown: unknown) => {
    throw failureOf(thrown)
  })
  const value = defaultExportOf(exported)
  if (value === undefined) {
    throw new DavitError('invalid-model', `'${file}' has no default export`, {
      exitStatus: ExitStatus.badDocument,
      hint: "export the model with 'export default'",
    })
  }
  const place = () => ({ file })
  return { file, directory: dirname(resolve(file)), value, placeOf: place, placeOfKey: place, failureOf }
}

/** Finds the default export, also of a CommonJS module that was compiled from an ES module. */
function defaultExportOf(exported: unknown): unknown {
  const value = isObject(exported) ? (exported as { readonly default?: unknown }).default : undefined
  return memberOf(value, '__esModule') === true ? memberOf(value, 'default') : value
}
