import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { DavitError, ExitStatus } from '@davit/diagnostics'
import { encodeDocument, Manifest, parseDocument } from '@davit/documents'
import { isMissing, readTextFile, syncDirectory, writeFileAtomic } from '@davit/files'

import type { DeploymentPlace } from './place.ts'

/** A manifest that was deployed. Generations never move, and numbers are never used again while a later one is there. */
export interface Generation {
  readonly number: number
  readonly manifest: Manifest
  /** The manifest as it was given. */
  readonly text: string
}

/** One that is exact. */
const NUMBER = /^[1-9]\d{0,14}$/

/** Numbers of the generations that exist, the oldest first. */
export async function generationNumbers(place: DeploymentPlace): Promise<readonly number[]> {
  const names = await readdir(generationsOf(place)).catch((error: unknown) => {
    if (isMissing(error)) return []
    throw error
  })
  return names
    .filter((name) => NUMBER.test(name))
    .map(Number)
    .toSorted((left, right) => left - right)
}

/** The generation that counts, which after a rollback is not the last one. */
export async function currentGeneration(place: DeploymentPlace): Promise<Generation | undefined> {
  const number = await currentNumber(place)
  if (number === undefined) return undefined
  const file = manifestFile(place, number)
  const text = await readTextFile(file).catch((error: unknown) => {
    if (isMissing(error)) throw corruptPointer(place, `names generation ${number}, which is not there`)
    throw error
  })
  return { number, text, manifest: parseDocument(Manifest, text, { file }) }
}

export interface AddedGeneration {
  readonly kind: 'added' | 'unchanged'
  readonly number: number
}

/** Adds a generation and makes it current, unless the current one says the same. */
export async function addGeneration(
  place: DeploymentPlace,
  deployed: Omit<Generation, 'number'>,
): Promise<AddedGeneration> {
  const current = await currentGeneration(place)
  if (current !== undefined && meaningOf(current.manifest) === meaningOf(deployed.manifest)) {
    return { kind: 'unchanged', number: current.number }
  }
  const number = ((await generationNumbers(place)).at(-1) ?? 0) + 1
  const aside = join(generationsOf(place), '.new')
  await rm(aside, { recursive: true, force: true })
  await mkdir(aside, { recursive: true, mode: 0o700 })
  await writeFileAtomic(join(aside, 'manifest'), deployed.text, { mode: 0o600 })
  await rename(aside, join(generationsOf(place), String(number)))
  await syncDirectory(generationsOf(place))
  await writeFileAtomic(pointerFile(place), `${number}\n`)
  return { kind: 'added', number }
}

async function currentNumber(place: DeploymentPlace): Promise<number | undefined> {
  try {
    const text = (await readTextFile(pointerFile(place))).trim()
    if (!NUMBER.test(text)) throw corruptPointer(place, 'does not hold the number of a generation')
    return Number(text)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

function corruptPointer(place: DeploymentPlace, reason: string): DavitError {
  return new DavitError(
    'corrupt-state',
    `cannot tell which generation is the current one: '${pointerFile(place)}' ${reason}`,
    {
      exitStatus: ExitStatus.badDocument,
      hint: `write the number of a generation in '${generationsOf(place)}' into it, or remove it`,
    },
  )
}

function generationsOf(place: DeploymentPlace): string {
  return join(place, 'generations')
}

function pointerFile(place: DeploymentPlace): string {
  return join(place, 'current')
}

function manifestFile(place: DeploymentPlace, number: number): string {
  return join(generationsOf(place), String(number), 'manifest')
}

/** Format and spelling do not matter. */
function meaningOf(manifest: Manifest): string {
  return encodeDocument(Manifest, manifest, 'json')
}
