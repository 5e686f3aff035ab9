import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { isMissing, readTextFile, writeFileAtomic } from '@davit/files'

import type { LockOwner } from './lock-owner.ts'

/** What the coordinator remembers of a lock between the tools of a run. */
export interface LockRecord {
  readonly token: string
  readonly owner: LockOwner
  /** Of the `davit-lock` that took it: whoever is in the same one may unlock without a manifest. */
  readonly processGroup: number
  /** The manifest whose targets are locked. */
  readonly manifest: string
}

/** Directory of a deployment's state on the coordinator. */
export type LockRecordPlace = string

export async function readLockRecord(place: LockRecordPlace): Promise<LockRecord | undefined> {
  try {
    return JSON.parse(await readTextFile(fileOf(place))) as LockRecord
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return undefined
    throw error
  }
}

export async function writeLockRecord(place: LockRecordPlace, record: LockRecord): Promise<void> {
  await mkdir(dirname(fileOf(place)), { recursive: true, mode: 0o700 })
  await writeFileAtomic(fileOf(place), `${JSON.stringify(record)}\n`, { mode: 0o600 })
}

export async function removeLockRecord(place: LockRecordPlace): Promise<void> {
  await rm(fileOf(place), { force: true })
}

function fileOf(place: LockRecordPlace): string {
  return join(place, 'lock.json')
}
