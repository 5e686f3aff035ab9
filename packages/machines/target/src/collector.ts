import type { StorePath } from '@davit/documents'

import { fromHexadecimal } from './helper/answer-lines.ts'
import type { LockPlace } from './lock.ts'
import type { Machine } from './machine.ts'
import { onMachine } from './nix/errors.ts'

/** Removes the generations of a profile, except the current one and those of the kept paths; returns how many. */
export async function trimProfile(
  machine: Machine<'collect'>,
  { target, profile }: LockPlace,
  kept: readonly StorePath[],
): Promise<number> {
  return (await machine.request('trim_profile', [target, profile, ...kept])).length
}

/** A file that is left of a service that is gone: the log of an activity, or a record that was given up. */
export interface Remnant {
  readonly kind: 'log' | 'given-up'
  readonly path: string
  readonly bytes: number
}

/** Removes logs of services without a record, and records that were given up long ago, of all targets on the machine. */
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

/** Has the Nix of a machine collect its garbage; returns the summary that Nix prints. */
export async function collectNixGarbage(
  machine: Machine<'collect'>,
  { dryRun }: { readonly dryRun: boolean },
): Promise<string> {
  if (machine.client !== undefined)
    return dryRun ? '' : (await machine.client.call('collect-garbage', [], { seconds: 'unlimited' })).join('; ')
  const [answer = ''] = await machine
    .request('nix_collect', dryRun ? ['--dry-run'] : [])
    .catch((error: unknown) => Promise.reject(onMachine(machine.address, error)))
  return fromHexadecimal(answer.replace(/^result /, ''))
}
