import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import { isMissing, makeDirectories, readTextFile, writeFileAtomic } from '@davit/files'

import { currentNumber, generationNumbers, previousNumber } from './generations.ts'
import type { DeploymentPlace } from './place.ts'

export interface Rollback {
  /** The generation to which it goes. */
  readonly to: number
  /** Whether it was begun before, and nobody has said since that it was finished. */
  readonly isUnfinished: boolean
}

/**
 * To which generation a rollback goes: one back. One that was cut off goes where it went, also when that is current already: who
 * repeats it does not want to go two back.
 */
export async function nextRollback(place: DeploymentPlace): Promise<Rollback> {
  const begun = await readBegun(place)
  const current = await currentNumber(place)
  const isUnfinished =
    begun !== undefined &&
    (current === begun.from || current === begun.to) &&
    (await generationNumbers(place)).includes(begun.to)
  return isUnfinished ? { to: begun.to, isUnfinished } : { to: await previousNumber(place), isUnfinished }
}

/** The same, and remembers it until it is finished, or something else was deployed. */
export async function beginRollback(place: DeploymentPlace): Promise<Rollback> {
  const rollback = await nextRollback(place)
  if (rollback.isUnfinished) return rollback
  makeDirectories(place, 0o700)
  await writeFileAtomic(fileOf(place), `${await currentNumber(place)} ${rollback.to}\n`)
  return rollback
}

/** Not one that somebody else has begun since, from the generation that is the current one now. */
export async function finishRollback(place: DeploymentPlace): Promise<void> {
  const begun = await readBegun(place)
  if (begun === undefined || begun.from !== (await currentNumber(place))) await endRollback(place)
}

/** Whatever was begun: something else is deployed. */
export async function endRollback(place: DeploymentPlace): Promise<void> {
  await rm(fileOf(place), { force: true })
}

function fileOf(place: DeploymentPlace): string {
  return join(place, 'rollback')
}

/** Nothing as well where there is something else: then the rollback is a new one. */
async function readBegun(place: DeploymentPlace): Promise<{ readonly from: number; readonly to: number } | undefined> {
  const text = await readTextFile(fileOf(place)).catch((error: unknown) => {
    if (isMissing(error)) return ''
    throw error
  })
  const [, from, to] = /^([1-9]\d{0,14}) ([1-9]\d{0,14})\n$/.exec(text) ?? []
  return from === undefined ? undefined : { from: Number(from), to: Number(to) }
}
