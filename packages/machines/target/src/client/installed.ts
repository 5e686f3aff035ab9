import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { DavitError } from '@davit/diagnostics'
import {
  parseDocument,
  ProfileManifest,
  type ProfileName,
  type ServiceMapping,
  type TargetName,
} from '@davit/documents'
import { makeDirectories, writeFileAtomic } from '@davit/files'

import type { Machine } from '../machine.ts'
import { type ActivityDefinition, type ActivityResult, performActivity } from '../records/activity.ts'
import { clientManifest } from './client-errors.ts'

/**
 * Asks a client executable what is deployed on its machine; undefined if that is nothing. Whatever is not in the records here was
 * activated by somebody else.
 */
export async function readInstalled(
  { client }: Pick<Machine, 'client'>,
  { target, profile }: { readonly target: TargetName; readonly profile: ProfileName },
): Promise<ProfileManifest | undefined> {
  const lines = (await client?.call('query-installed', ['--profile', profile])) ?? []
  if (lines.length === 0) return undefined
  const file = `${target}:profilemanifest.xml`
  try {
    return parseDocument(ProfileManifest.on(target), lines.join('\n'), { file })
  } catch (error) {
    if (client === undefined || !(error instanceof DavitError)) throw error
    throw clientManifest({ ...client, operation: 'query-installed' }, error)
  }
}

/** Whether the records here have everything that is deployed there, or the machine has all records itself. */
export function isTakenOver({ client, facts }: Machine, profile: ProfileName): boolean {
  return client === undefined || existsSync(noteOf(facts, profile))
}

export interface InstalledService {
  readonly profile: ProfileName
  readonly token: string
  readonly mapping: ServiceMapping
  readonly definition: ActivityDefinition
}

/** Makes the record of a service that somebody else has activated; calls nothing on its machine. */
export async function takeOverInstalled(machine: Machine, service: InstalledService): Promise<ActivityResult> {
  const instead = join(machine.facts.stateDirectory, 'client/nothing')
  return performActivity(machine, { ...service, activity: 'activate', instead })
}

/** Notes that from now on the records here have everything that is deployed there. */
export async function noteTakenOver({ facts }: Machine, profile: ProfileName): Promise<void> {
  const file = noteOf(facts, profile)
  makeDirectories(join(file, '..'))
  await writeFileAtomic(file, '')
}

function noteOf({ stateDirectory }: Machine['facts'], profile: ProfileName): string {
  return join(stateDirectory, 'client/taken-over', profile)
}
