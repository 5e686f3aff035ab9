import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { DavitError } from '@davit/diagnostics'
import { isMissing, readTextFile, syncDirectory, writeFileAtomic } from '@davit/files'

import { currentNumber, generationNumbers, highestNumber } from './generations.ts'
import { generationRoot } from './generation-root.ts'
import { unmarkBegun } from './known.ts'
import { writeLeftBehind } from './left-behind.ts'
import { type DeploymentPlace, generationsOf, lastNumberFile, pointerFile } from './place.ts'
import { endRollback } from './rollback.ts'

export interface DeletedGeneration {
  readonly number: number
  /** Root by which a store keeps the packages; undefined if a generation has the same number again. */
  readonly root: string | undefined
  /** Text of the manifest, which may be damaged. */
  readonly text: string
  readonly file: string
}

/**
 * Deletes generations, and calls `release` for each to release its packages. Also completes deletions that were cut off. The
 * current generation is never deleted, even if it became current only in the meantime.
 */
export async function deleteGenerations(
  place: DeploymentPlace,
  numbers: readonly number[],
  release: (deleted: DeletedGeneration) => Promise<void>,
): Promise<void> {
  await endDeletions(place, release)
  // A number that was once shown must never mean another generation.
  const highest = await highestNumber(place)
  if (numbers.includes(highest)) await writeFileAtomic(lastNumberFile(place), `${highest}\n`)
  for (const number of numbers) {
    if (!(await moveAway(place, number))) continue
    if ((await currentNumber(place)) !== number) continue
    await rename(deletedPlace(place, number), join(generationsOf(place), String(number)))
    throw new DavitError(
      'current-generation',
      `cannot delete generation ${number}: it has just become the current one`,
      {
        hint: 'only davit-generations --delete-all deletes the current generation',
      },
    )
  }
  await endDeletions(place, release)
}

/** Forgets the deployment on the coordinator, with all its generations. */
export async function deleteAllGenerations(
  place: DeploymentPlace,
  release: (deleted: DeletedGeneration) => Promise<void>,
): Promise<readonly number[]> {
  const numbers = await generationNumbers(place)
  await rm(pointerFile(place), { force: true })
  await deleteGenerations(place, numbers, release)
  await rm(lastNumberFile(place), { force: true })
  await endRollback(place)
  await unmarkBegun(place)
  await writeLeftBehind(place, [])
  return numbers
}

const DELETED = '.deleted-'

function deletedPlace(place: DeploymentPlace, number: number): string {
  return join(generationsOf(place), `${DELETED}${number}`)
}

/** Renames a generation that is to be deleted; returns false if somebody else deleted it in the meantime. */
async function moveAway(place: DeploymentPlace, number: number): Promise<boolean> {
  try {
    await rename(join(generationsOf(place), String(number)), deletedPlace(place, number))
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

async function endDeletions(
  place: DeploymentPlace,
  release: (deleted: DeletedGeneration) => Promise<void>,
): Promise<void> {
  const names = await readdir(generationsOf(place)).catch((error: unknown) => {
    if (isMissing(error)) return []
    throw error
  })
  const present = await generationNumbers(place)
  for (const name of names.filter((one) => one.startsWith(DELETED))) {
    const number = Number(name.slice(DELETED.length))
    const file = join(generationsOf(place), name, 'manifest')
    const root = present.includes(number) ? undefined : generationRoot(place, number)
    await release({ number, root, file, text: await textOf(file) })
    await rm(join(generationsOf(place), name), { recursive: true, force: true })
  }
  if (names.length > 0) await syncDirectory(generationsOf(place))
}

async function textOf(file: string): Promise<string> {
  return readTextFile(file).catch(() => '')
}
