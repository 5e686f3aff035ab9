import { dirname, resolve } from 'node:path'
import { parseDocument, PartialInfrastructure } from '@davit/documents'
import { readTextFile } from '@davit/files'
import { dataFailure } from './load-data.ts'
import type { Model } from './model.ts'

/** An infrastructure in NixXML: no other model exists in it. */
export async function loadXml(file: string): Promise<Model> {
  const value = parseDocument(PartialInfrastructure, await readTextFile(file), { file })
  const place = () => ({ file })
  return { file, directory: dirname(resolve(file)), value, placeOf: place, placeOfKey: place, failureOf: dataFailure }
}
