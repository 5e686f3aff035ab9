import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { encodeDocument, Manifest, parseDocument } from '@davit/documents'
import { isMissing, readTextFile, writeFileAtomic } from '@davit/files'

import type { DeploymentPlace } from './place.ts'

/** A manifest that was deployed. Generations never move, and numbers are never used again while a later one is there. */
export interface Generation {
  readonly number: number
  readonly manifest: Manifest
  /** The manifest as it was given. */
  readonly text: string
}

/** Numbers of the generations that exist, the oldest first. */
export async function generationNumbers(place: DeploymentPlace): Promise<readonly number[]> {
  const names = await readdir(generationsOf(place)).catch((error: unknown) => {
    if (isMissing(error)) return []
    throw error
  })
  return names
    .filter((name) => /^[1-9]\d*$/.test(name))
    .map(Number)
    .toSorted((left, right) => left - right)
}

/** The generation that counts, which after a rollback is not the last one. */
export async function currentGeneration(place: DeploymentPlace): Promise<Generation | undefined> {
  const pointer = await readTextFile(join(place, 'current')).catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw error
  })
  if (pointer === undefined) return undefined
  const number = Number(pointer.trim())
  const file = manifestFile(place, number)
  const text = await readTextFile(file)
  return { number, text, manifest: parseDocument(Manifest, text, { file }) }
}

/** Adds a generation and makes it current, unless the current one says the same. */
export async function addGeneration(
  place: DeploymentPlace,
  deployed: Omit<Generation, 'number'>,
): Promise<'unchanged' | { readonly generation: number }> {
  const current = await currentGeneration(place)
  if (current !== undefined && meaningOf(current.manifest) === meaningOf(deployed.manifest)) return 'unchanged'
  const number = ((await generationNumbers(place)).at(-1) ?? 0) + 1
  const directory = join(generationsOf(place), String(number))
  const aside = join(generationsOf(place), `.${number}.new`)
  await rm(aside, { recursive: true, force: true })
  await mkdir(aside, { recursive: true, mode: 0o700 })
  await writeFileAtomic(join(aside, 'manifest'), deployed.text, { mode: 0o600 })
  await rename(aside, directory)
  await writeFileAtomic(join(place, 'current'), `${number}\n`)
  return { generation: number }
}

function generationsOf(place: DeploymentPlace): string {
  return join(place, 'generations')
}

function manifestFile(place: DeploymentPlace, number: number): string {
  return join(generationsOf(place), String(number), 'manifest')
}

/** Format and spelling do not matter. */
function meaningOf(manifest: Manifest): string {
  return encodeDocument(Manifest, manifest, 'json')
}
