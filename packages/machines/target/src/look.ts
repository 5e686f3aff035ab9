import { basename } from 'node:path'

import type { ProfileName, StorePath, StoreReference } from '@davit/documents'

import { badAnswer } from './helper/answer-lines.ts'
import { onTarget } from './helper/refused-request.ts'
import { profileRootIn } from './profile.ts'
import type { ShellTarget } from './shell-target.ts'

export interface ExpectedProfile {
  readonly profile: ProfileName
  readonly path: StorePath
  readonly store: StoreReference
  /** What a native store has to have of the path's closure. A Nix store is asked for the path only, which implies the rest. */
  readonly closure: readonly StorePath[]
}

/**
 * What keeps a target from being as a run leaves it: a lock that somebody holds or has left there; another current profile;
 * another one that a run has wanted and not reached; a profile that no root keeps; a package that is missing.
 */
export type Deviation = (typeof DEVIATIONS)[number]

const DEVIATIONS = ['locked', 'profile', 'wanted', 'root', 'missing'] as const

/** Compares a target with what a run leaves there, and changes nothing. */
export async function lookAtTarget(
  { name, machine }: ShellTarget,
  expected: ExpectedProfile,
): Promise<readonly Deviation[]> {
  const [deviations, isThere] = await Promise.all([
    deviationsOf({ name, machine }, expected),
    isValidThere(machine, expected),
  ])
  return isThere ? deviations : [...deviations, 'missing']
}

/** Asks a client executable, whose helper only sees the coordinator's store. */
async function isValidThere({ client }: ShellTarget['machine'], { path }: ExpectedProfile): Promise<boolean> {
  return client === undefined || (await client.call('print-invalid', [path])).length === 0
}

async function deviationsOf(
  { name, machine }: ShellTarget,
  { profile, path, store: { kind, directory }, closure }: ExpectedProfile,
): Promise<readonly Deviation[]> {
  const paths =
    kind === 'native' ? [profileRootIn(directory, name, profile), ...closure.map((one) => basename(one))] : []
  const lines = await machine.request('look', [name, profile, path, kind, ...paths]).catch((error: unknown) => {
    throw onTarget(name, error)
  })
  const deviations = DEVIATIONS.filter((deviation) => lines.includes(deviation))
  if (deviations.length < lines.length) throw badAnswer(machine.address)
  return deviations
}
