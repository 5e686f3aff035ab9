import { factIn, type ConditionFact, type Starter } from './condition-fact.ts'
import { badAnswer } from './helper/answer-lines.ts'
import type { LockHolder, LockPlace } from './lock.ts'
import type { Machine } from './machine.ts'

/** In which condition a machine is, as it tells. */
export interface MachineCondition {
  readonly clock: Date
  /** The account that works there. */
  readonly account: string
  /** What programs say about themselves, by the name of the fact: `shell`, `system`, `kernel`, `tar`, `nix`, `bubblewrap`. */
  readonly versions: ReadonlyMap<string, string>
  /** What can start programs after a restart. */
  readonly starter: Starter
  /** The disk of the state, of each store, and for temporary files. */
  readonly disks: readonly Disk[]
  /** What the account cannot write; each with the part of its path that exists. */
  readonly unwritable: readonly { readonly path: string; readonly existing: string }[]
  /** The state directory, if everybody may write there. */
  readonly open: string | undefined
  readonly locks: readonly (LockPlace & { readonly holder: LockHolder })[]
  readonly trials: readonly LockPlace[]
  /** Profiles that runs were about to make current, and did not; each with the token of the run's lock. */
  readonly unreached: readonly (LockPlace & { readonly token: string })[]
  /** Current profiles that are gone; the path is empty if not even a link is left. */
  readonly broken: readonly (LockPlace & { readonly path: string })[]
  /** How many files in native stores were left half made or half removed. */
  readonly rubbish: readonly { readonly store: string; readonly count: number }[]
  /** How many records were given up. */
  readonly givenUp: number
}

/** Space on a disk, in bytes and files; undefined as far as the machine cannot tell. */
export interface Disk {
  /** What is kept there. */
  readonly path: string
  /** Tells disks apart. */
  readonly device: string
  readonly bytes: Space | undefined
  readonly files: Space | undefined
}

export interface Space {
  readonly total: number
  readonly left: number
}

/** Asks a machine in which condition it is. Stores are directories of which it tells more. */
export async function readCondition(machine: Machine<'check'>, stores: readonly string[]): Promise<MachineCondition> {
  const facts = (await machine.request('condition', stores)).map((line) => factIn(line) ?? refuse(machine))
  const all = <Kind extends ConditionFact['kind']>(kind: Kind) =>
    facts.filter((fact): fact is Extract<ConditionFact, { readonly kind: Kind }> => fact.kind === kind)
  const [clock, account, starter] = [all('clock')[0], all('account')[0], all('starter')[0]]
  if (clock === undefined || account === undefined || starter === undefined) throw badAnswer(machine.address)
  return {
    clock: clock.time,
    account: account.name,
    versions: new Map(all('version').map(({ of, text }) => [of, text])),
    starter: starter.starter,
    disks: all('disk'),
    unwritable: all('unwritable'),
    open: all('open')[0]?.path,
    locks: all('lock'),
    trials: all('trial'),
    unreached: all('unreached'),
    broken: all('broken'),
    rubbish: all('rubbish'),
    givenUp: all('given-up')[0]?.count ?? 0,
  }
}

function refuse({ address }: Pick<Machine, 'address'>): never {
  throw badAnswer(address)
}
