import { dirname, extname, resolve } from 'node:path'
import { parseData } from '@davit/documents'
import { readTextFile } from '@davit/files'
import type { Model } from './model.ts'

/** A model in YAML or JSON. */
export async function loadData(file: string): Promise<Model> {
  const language = extname(file) === '.json' ? 'json' : 'yaml'
  const { value, placeOf, placeOfKey } = parseData(await readTextFile(file), { file, language })
  return { file, directory: dirname(resolve(file)), value, placeOf, placeOfKey, failureOf: dataFailure }
}

/** Data runs no code: whatever is thrown is davit's own. */
export function dataFailure(thrown: unknown): never {
  throw thrown
}
