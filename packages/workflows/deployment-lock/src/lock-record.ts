import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import { DavitError } from '@davit/diagnostics'
import { isMissing, makeDirectories, readTextFile, writeFileAtomic } from '@davit/files'

import { isOwner, type LockOwner } from './lock-owner.ts'

/** What the coordinator records of a lock, for the other tools of a run. */
export interface LockRecord {
  readonly token: string
  readonly owner: LockOwner
  /** Process group of the `davit-lock` that took the lock; processes in the same group may unlock without a manifest. */
  readonly processGroup: number
  /** The manifest whose targets are locked. */
  readonly manifest: string
  /** Names of these targets. */
  readonly targets: readonly string[]
  /** Former names of targets under which there are still records; these are locked as well. */
  readonly renamed: readonly FormerName[]
  /** What is selected on these targets, in the terms of `--on`; absent if everything is. */
  readonly on?: readonly string[]
  /** Whether the lock ends with a command that runs under it, and not with `davit-unlock`. */
  readonly duringCommand?: boolean
}

export interface FormerName {
  readonly name: string
  /** Target that the machine is now. */
  readonly at: string
}

/** Directory of a deployment's state on the coordinator. */
export type LockRecordPlace = string

/** Reads the record; undefined if there is none, or if it is unreadable. */
export async function readLockRecord(place: LockRecordPlace): Promise<LockRecord | undefined> {
  try {
    const record: unknown = JSON.parse(await readTextFile(fileOf(place)))
    return isRecord(record) ? record : undefined
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError || isNoText(error)) return undefined
    throw error
  }
}

export async function writeLockRecord(place: LockRecordPlace, record: LockRecord): Promise<void> {
  makeDirectories(place, 0o700)
  await writeFileAtomic(fileOf(place), `${JSON.stringify(record)}\n`, { mode: 0o600 })
}

/** Removes the record if it is that of this lock; another one may have been taken since. */
export async function removeLockRecord(place: LockRecordPlace, token: string): Promise<void> {
  const record = await readLockRecord(place)
  if (record === undefined || record.token === token) await rm(fileOf(place), { force: true })
}

function fileOf(place: LockRecordPlace): string {
  return join(place, 'lock.json')
}

function isNoText(error: unknown): boolean {
  return error instanceof DavitError && ['not-text', 'too-large'].includes(error.code)
}

function isRecord(value: unknown): value is LockRecord {
  if (typeof value !== 'object' || value === null) return false
  const { token, owner, processGroup, manifest } = value as Partial<LockRecord>
  return isToken(token) && isText(manifest) && Number.isSafeInteger(processGroup) && hasNames(value) && isOwner(owner)
}

function hasNames({ targets, renamed, on = [] }: Partial<LockRecord>): boolean {
  return isListOf(targets, isText) && isListOf(renamed, isFormerName) && isListOf(on, isText)
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem)
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

function isFormerName(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { name, at } = value as Partial<FormerName>
  return typeof name === 'string' && /^\w[\w.+-]*$/.test(name) && isText(at)
}

/** Whether a value is a token, which is put into requests without encoding. */
function isToken(value: unknown): boolean {
  return typeof value === 'string' && /^[\w-]+$/.test(value)
}
