import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { isMissing, makeDirectories, readTextFile, writeFileAtomic } from '@davit/files'

import { currentNumber, generationNumbers, previousNumber } from './generations.ts'
import type { DeploymentPlace } from './place.ts'

export interface Rollback {
  /** Number of the generation to return to. */
  readonly to: number
  /** Whether it was begun earlier and has not been finished. */
  readonly isUnfinished: boolean
}

/**
 * Determines which generation a rollback returns to: the previous one. A rollback that was cut off keeps its destination, even
 * if that is current already, so that repeating it does not go two back.
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

/** Like `nextRollback`, but records the rollback until it is finished or something else is deployed. */
export async function beginRollback(place: DeploymentPlace): Promise<Rollback> {
  const rollback = await nextRollback(place)
  if (rollback.isUnfinished) return rollback
  makeDirectories(place, 0o700)
  await writeFileAtomic(fileOf(place), `${await currentNumber(place)} ${rollback.to}\n`)
  return rollback
}

/** Whether there is a record of a rollback, which the next run that deploys something else removes. */
export async function isRollbackRecorded(place: DeploymentPlace): Promise<boolean> {
  try {
    await stat(fileOf(place))
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

/** Removes the record of a rollback, unless another one has since been begun from the generation that is now current. */
export async function finishRollback(place: DeploymentPlace): Promise<void> {
  const begun = await readBegun(place)
  if (begun === undefined || begun.from !== (await currentNumber(place))) await endRollback(place)
}

/** Removes the record of any rollback, because something else is deployed. */
export async function endRollback(place: DeploymentPlace): Promise<void> {
  await rm(fileOf(place), { force: true })
}

function fileOf(place: DeploymentPlace): string {
  return join(place, 'rollback')
}

/** Reads the record of a rollback; if it is unreadable, there is none, and the next rollback is a new one. */
async function readBegun(place: DeploymentPlace): Promise<{ readonly from: number; readonly to: number } | undefined> {
  const text = await readTextFile(fileOf(place)).catch((error: unknown) => {
    if (isMissing(error)) return ''
    throw error
  })
  const [, from, to] = /^([1-9]\d{0,14}) ([1-9]\d{0,14})\n$/.exec(text) ?? []
  return from === undefined ? undefined : { from: Number(from), to: Number(to) }
}
