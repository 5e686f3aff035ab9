import { dirname, resolve } from 'node:path'
import { readTextFile } from '@davit/files'
import { dataFailure } from '../load-data.ts'
import type { Model } from '../model.ts'

/** A model in the Nix language, that has to be evaluated with the others. */
export async function loadNix(file: string): Promise<Model> {
  await readTextFile(file)
  const place = () => ({ file })
  const directory = dirname(resolve(file))
  return {
    file,
    directory,
    language: 'nix',
    value: undefined,
    placeOf: place,
    placeOfKey: place,
    failureOf: dataFailure,
  }
}
