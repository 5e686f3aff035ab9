import { join } from 'node:path'

import { encodeDocument, MadeFrom, parseDocument } from '@davit/documents'
import { isMissing, readTextFile, writeFileAtomic } from '@davit/files'

import { type DeploymentPlace, generationsOf } from './place.ts'

/** Writes what a generation is made from into its directory. Only its owner may read it, since models may contain anything. */
export async function writeMadeFrom(directory: string, madeFrom: MadeFrom): Promise<void> {
  await writeFileAtomic(join(directory, FILE), encodeDocument(MadeFrom, madeFrom, 'json'), { mode: 0o600 })
}

/** Reads what a generation was made from; undefined if that was not kept. Throws `invalid-document` if it was changed. */
export async function readMadeFrom(place: DeploymentPlace, number: number): Promise<MadeFrom | undefined> {
  const file = join(generationsOf(place), String(number), FILE)
  try {
    return parseDocument(MadeFrom, await readTextFile(file), { file })
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

const FILE = 'made-from.json'
