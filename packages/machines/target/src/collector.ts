import type { StorePath } from '@davit/documents'

import { fromHexadecimal } from './helper/answer-lines.ts'
import type { LockPlace } from './lock.ts'
import type { Machine } from './machine.ts'
import { onMachine } from './nix/errors.ts'

/** Removes the generations of a profile other than the current one and those of these paths; tells how many. */
export async function trimProfile(
  machine: Machine<'collect'>,
  { target, profile }: LockPlace,
  kept: readonly StorePath[],
): Promise<number> {
  return (await machine.request('trim_profile', [target, profile, ...kept])).length
}

/** What is left of a service that is gone: what an activity of it printed, or a record of it that was given up. */
export interface Remnant {
  readonly kind: 'log' | 'given-up'
  readonly path: string
  readonly bytes: number
}

/** Removes logs of keys that no record is left of, and records that were given up long ago, on all targets that the machine is. */
export async function trimRemnants(
  machine: Machine<'collect'>,
  { dryRun }: { readonly dryRun: boolean },
): Promise<readonly Remnant[]> {
  return (await machine.request('trim_remnants', dryRun ? ['--dry-run'] : [])).flatMap(remnantIn)
}

function remnantIn(line: string): readonly Remnant[] {
  const [, kind, bytes, path] = /^(log|given-up) (\d{1,15}) ((?:[0-9a-f]{2})+)$/.exec(line) ?? []
  return path === undefined
    ? []
    : [{ kind: kind as Remnant['kind'], path: fromHexadecimal(path), bytes: Number(bytes) }]
}

/** Has the Nix of a machine collect its garbage; what it says of it. */
export async function collectNixGarbage(
  machine: Machine<'collect'>,
  { dryRun }: { readonly dryRun: boolean },
): Promise<string> {
  const [answer = ''] = await machine
    .request('nix_collect', dryRun ? ['--dry-run'] : [])
    .catch((error: unknown) => Promise.reject(onMachine(machine.address, error)))
  return fromHexadecimal(answer.replace(/^result /, ''))
}
