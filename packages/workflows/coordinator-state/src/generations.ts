import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { DavitError, ExitStatus } from '@davit/diagnostics'
import { encodeDocument, type MadeFrom, Manifest, parseDocument } from '@davit/documents'
import { isMissing, makeDirectories, readTextFile, syncDirectory, writeFileAtomic } from '@davit/files'

import { nothingDeployed } from './deployments.ts'
import { writeMadeFrom } from './made-from.ts'
import { readOrigin, type Origin, writeOrigin } from './origin.ts'
import { type DeploymentPlace, generationsOf, lastNumberFile, pointerFile } from './place.ts'

/** A deployed manifest. Generations never move, and their numbers are never reused. */
export interface Generation {
  readonly number: number
  readonly manifest: Manifest
  /** Text of the manifest, as given. */
  readonly text: string
  readonly origin: Origin
}

/** A deployed manifest that becomes a generation. */
export interface Deployed extends Omit<Generation, 'number'> {
  /** Kept with the generation, if anything is known. */
  readonly madeFrom?: MadeFrom | undefined
}

/** Number of a generation, short enough to be an exact integer. */
const NUMBER = /^[1-9]\d{0,14}$/

/** Numbers of the existing generations, oldest first. */
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

/** Reads the current generation, which after a rollback is not the last one. */
export async function currentGeneration(place: DeploymentPlace): Promise<Generation | undefined> {
  const number = await currentNumber(place)
  if (number === undefined) return undefined
  const generation = await findGeneration(place, number)
  if (generation === undefined) throw corruptPointer(place, `names generation ${number}, which does not exist`)
  return generation
}

/** Reads a generation; throws if it does not exist. */
export async function readGeneration(place: DeploymentPlace, number: number): Promise<Generation> {
  const generation = await findGeneration(place, number)
  if (generation === undefined) throw await noGeneration(place, number)
  return generation
}

/** Number of the generation that a rollback returns to: the greatest one below the current number. */
export async function previousNumber(place: DeploymentPlace): Promise<number> {
  const current = await currentNumber(place)
  if (current === undefined) throw await nothingBefore(place, 'there is no current generation')
  const previous = (await generationNumbers(place)).findLast((number) => number < current)
  if (previous === undefined)
    throw await nothingBefore(place, `there is no generation before the current one (${current})`)
  return previous
}

export interface AddedGeneration {
  readonly kind: 'added' | 'unchanged'
  readonly number: number
}

/** Adds a generation and makes it current, unless the current one has the same manifest. */
export async function addGeneration(place: DeploymentPlace, deployed: Deployed): Promise<AddedGeneration> {
  const current = await currentGeneration(place)
  if (current !== undefined && isSameManifest(current.manifest, deployed.manifest)) {
    return { kind: 'unchanged', number: current.number }
  }
  const left = current === undefined ? await newestWith(place, deployed.manifest) : undefined
  if (left !== undefined) {
    await switchGeneration(place, left)
    return { kind: 'added', number: left }
  }
  const number = (await highestNumber(place)) + 1
  const aside = join(generationsOf(place), '.new')
  const remove = () => rm(aside, { recursive: true, force: true })
  try {
    await remove()
    makeDirectories(aside, 0o700)
    await writeOrigin(aside, deployed.origin)
    if (deployed.madeFrom !== undefined) await writeMadeFrom(aside, deployed.madeFrom)
    await writeFileAtomic(join(aside, 'manifest'), deployed.text, { mode: 0o600 })
    await rename(aside, join(generationsOf(place), String(number)))
  } catch (error) {
    await remove().catch(() => {})
    throw error
  }
  await syncDirectory(generationsOf(place))
  await writeFileAtomic(pointerFile(place), `${number}\n`)
  return { kind: 'added', number }
}

/** The newest generation, if it has this manifest: a run that was cut off leaves it before it has made its first generation current. */
async function newestWith(place: DeploymentPlace, manifest: Manifest): Promise<number | undefined> {
  const number = (await generationNumbers(place)).at(-1)
  if (number === undefined) return undefined
  const newest = await findGeneration(place, number).catch((error: unknown) => {
    if (!(error instanceof DavitError)) throw error
  })
  return newest !== undefined && isSameManifest(newest.manifest, manifest) ? number : undefined
}

/** Highest number given to a generation since the deployment was last forgotten, even if that generation was deleted. */
export async function highestNumber(place: DeploymentPlace): Promise<number> {
  const text = await readTextFile(lastNumberFile(place)).catch((error: unknown) => {
    if (isMissing(error)) return ''
    throw error
  })
  const given = NUMBER.test(text.trim()) ? Number(text) : 0
  return Math.max(given, (await generationNumbers(place)).at(-1) ?? 0)
}

/** Makes an existing generation the current one. */
export async function switchGeneration(place: DeploymentPlace, number: number): Promise<'switched' | 'unchanged'> {
  const before = await currentNumber(place)
  if (before === number) return 'unchanged'
  await readGeneration(place, number)
  await writeFileAtomic(pointerFile(place), `${number}\n`)
  // `deleteGenerations` reads the pointer after it has moved a generation, so one of the two notices the other.
  if ((await generationNumbers(place)).includes(number)) return 'switched'
  if (before === undefined) await rm(pointerFile(place), { force: true })
  else await writeFileAtomic(pointerFile(place), `${before}\n`)
  throw await noGeneration(place, number)
}

/** Compares manifests, regardless of format and spelling. */
export function isSameManifest(left: Manifest, right: Manifest): boolean {
  const [one, other] = [left, right].map((manifest) => encodeDocument(Manifest, manifest, 'json'))
  return one === other
}

/** Number of the current generation; undefined if there is none. */
export async function currentNumber(place: DeploymentPlace): Promise<number | undefined> {
  try {
    const text = (await readTextFile(pointerFile(place))).trim()
    if (!NUMBER.test(text)) throw corruptPointer(place, 'does not contain the number of a generation')
    return Number(text)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Lists the existing generations for a hint: `there are generations 1, 2`. */
export function presentNumbers(numbers: readonly number[]): string {
  if (numbers.length === 0) return 'there are no generations'
  return numbers.length === 1
    ? `there is only generation ${numbers.join('')}`
    : `there are generations ${numbers.join(', ')}`
}

function corruptPointer(place: DeploymentPlace, reason: string): DavitError {
  return new DavitError(
    'corrupt-state',
    `cannot tell which generation is the current one: '${pointerFile(place)}' ${reason}`,
    {
      exitStatus: ExitStatus.badDocument,
      hint: `write the number of a generation in '${generationsOf(place)}' into this file, or remove it`,
    },
  )
}

async function findGeneration(place: DeploymentPlace, number: number): Promise<Generation | undefined> {
  const directory = join(generationsOf(place), String(number))
  const file = join(directory, 'manifest')
  try {
    const text = await readTextFile(file)
    return { number, text, manifest: parseDocument(Manifest, text, { file }), origin: await readOrigin(directory) }
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

async function noGeneration(place: DeploymentPlace, number: number): Promise<DavitError> {
  return new DavitError('no-generation', `there is no generation ${number}`, { hint: await hintOf(place) })
}

async function nothingBefore(place: DeploymentPlace, message: string): Promise<DavitError> {
  return new DavitError('no-generation', `cannot roll back: ${message}`, { hint: await hintOf(place) })
}

async function hintOf(place: DeploymentPlace): Promise<string> {
  const numbers = await generationNumbers(place)
  if (numbers.length === 0) return nothingDeployed(place)
  return numbers.length === 1
    ? presentNumbers(numbers)
    : `${presentNumbers(numbers)}; davit-env --switch-to-generation accepts any of them`
}
