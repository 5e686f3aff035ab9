import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import { DavitError } from '@davit/diagnostics'
import { isMissing, makeDirectories, readTextFile, writeFileAtomic } from '@davit/files'

import { isOwner, type LockOwner } from './lock-owner.ts'

/** What the coordinator remembers of a lock between the tools of a run. */
export interface LockRecord {
  readonly token: string
  readonly owner: LockOwner
  /** Of the `davit-lock` that took it: whoever is in the same one may unlock without a manifest. */
  readonly processGroup: number
  /** The manifest whose targets are locked. */
  readonly manifest: string
  /** Their names. */
  readonly targets: readonly string[]
  /** Names under which records lie on machines that are called otherwise by now: they are locked as well. */
  readonly renamed: readonly FormerName[]
  /** It ends with a command that runs under it, not with `davit-unlock`. */
  readonly duringCommand?: boolean
}

export interface FormerName {
  readonly name: string
  /** The target that is that machine now. */
  readonly at: string
}

/** Directory of a deployment's state on the coordinator. */
export type LockRecordPlace = string

/** Nothing as well where there is something that nobody can read: then there is no lock to go by. */
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

/** Only that lock's: another one may have been taken since. */
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
  const { token, owner, processGroup, manifest, targets, renamed } = value as Partial<LockRecord>
  const isNamed = isListOf(targets, isText) && isListOf(renamed, isFormerName)
  return isToken(token) && isText(manifest) && Number.isSafeInteger(processGroup) && isNamed && isOwner(owner)
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

/** It goes into requests as it is. */
function isToken(value: unknown): boolean {
  return typeof value === 'string' && /^[\w-]+$/.test(value)
}
