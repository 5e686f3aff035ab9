import { dirname, resolve } from 'node:path'
import { dataFailure } from '../load-data.ts'
import type { Model } from '../../reading/model.ts'
import { readModelText } from '../read-model-text.ts'

/** Loads a model in the Nix language, which is evaluated later, together with the others. */
export async function loadNix(file: string): Promise<Model> {
  const text = await readModelText(file)
  const place = () => ({ file })
  const directory = dirname(resolve(file))
  return {
    file,
    // What it imports is known to Nix alone.
    sources: () => [{ file: resolve(file), text }],
    directory,
    language: 'nix',
    value: undefined,
    placeOf: place,
    placeOfKey: place,
    failureOf: dataFailure,
  }
}
