import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import { DavitError, ExitStatus, hasCode } from '@davit/diagnostics'
import type { ProfileName } from '@davit/documents'
import { makeDirectories, writeFileAtomic } from '@davit/files'

import type { Machine } from '../machine.ts'
import type { Client } from './client.ts'
import { ClientRefused } from './client-errors.ts'
import { textOf } from './text-of.ts'

/** A lock that the client executable of a machine takes, for the holder of davit's own lock. */
export interface ClientLock {
  readonly client: Client
  readonly facts: Machine['facts']
  readonly profile: ProfileName
}

/**
 * Has the client executable lock a profile, so that coordinators of Disnix are kept out as well. The protocol does not tell who holds a
 * lock, so a file here does, which is written before and after: what a run of this coordinator has left locked is its own.
 */
export async function lockThere(lock: ClientLock, token: string): Promise<void> {
  const { client, profile } = lock
  const file = fileOf(lock)
  const before = textOf(file)
  if (before === `locked ${token}`) return
  makeDirectories(join(file, '..'))
  if (before === undefined) await writeFileAtomic(file, LOCKING)
  await client.call('lock', ['--profile', profile]).catch(async (error: unknown) => {
    if (!hasCode(error, 'client-failed')) throw error
    const isRefused = error instanceof ClientRefused
    if (isRefused && isOwn(before)) return
    // If it was cut off, it may have locked it all the same.
    if (isRefused && before === undefined) await rm(file, { force: true })
    throw notLocked(lock, error, { wasCutOff: before === LOCKING })
  })
  await writeFileAtomic(file, `locked ${token}`)
}

function isOwn(before: string | undefined): boolean {
  return before !== undefined && before !== LOCKING
}

/** Has the client executable release what `lockThere` has locked. */
export async function unlockThere(lock: ClientLock): Promise<void> {
  const file = fileOf(lock)
  if (textOf(file) === undefined) return
  await lock.client.call('unlock', ['--profile', lock.profile])
  await rm(file, { force: true })
}

const LOCKING = 'locking'

function fileOf({ facts, profile }: ClientLock): string {
  return join(facts.stateDirectory, 'client/locks', profile)
}

function notLocked(
  { client: { executable, address }, profile }: ClientLock,
  cause: DavitError,
  { wasCutOff }: { readonly wasCutOff: boolean },
): DavitError {
  const unlock = `'${executable} --unlock --target ${address} --profile ${profile}'`
  const who = wasCutOff
    ? `an earlier run was cut off while it locked it: if nobody else deploys there, ${unlock} releases it`
    : `somebody else deploys there, or a service refuses; if neither is so, ${unlock} releases what was left`
  return new DavitError('locked', `profile '${profile}' cannot be locked: ${cause.message}`, {
    exitStatus: ExitStatus.locked,
    hint: who,
    cause: cause.cause,
  })
}
