import { dirname, resolve } from 'node:path'
import type { Path, Place } from '@davit/diagnostics'
import { locateDocument, parseDocument, PartialInfrastructure } from '@davit/documents'
import { dataFailure } from './load-data.ts'
import type { Model } from '../reading/model.ts'
import { readModelText } from './read-model-text.ts'

/** Loads an infrastructure in NixXML, the only model that can be NixXML. */
export async function loadXml(file: string): Promise<Model> {
  const text = await readModelText(file)
  const value = parseDocument(PartialInfrastructure, text, { file })
  let known: ((path: Path) => Place | undefined) | undefined
  const placeOf = (path: Path): Place => {
    known ??= locateDocument(PartialInfrastructure, text, { file })
    return known(path) ?? { file }
  }
  const sources = () => [{ file: resolve(file), text }]
  const directory = dirname(resolve(file))
  return { file, sources, directory, value, placeOf, placeOfKey: placeOf, failureOf: dataFailure }
}
