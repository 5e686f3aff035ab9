import { readFileSync } from 'node:fs'

import { operationsOf, type Role } from './operations.ts'
import { RECORD_STATES, recordState } from './record-state.ts'

/** Parts of `runtime/` that make a script. */
interface Parts {
  /** What the processes evaluate as well that it starts and that outlive it, or that it ends as a group: all that they need. */
  readonly detached?: readonly string[]
  readonly own: readonly string[]
}

const ACTIVITIES = ['common', 'claim', 'state', 'runner']
const HELPER = ['refuse', 'serve', 'holder', 'roots', 'nix']

const HELPERS: Readonly<Record<Role, Parts>> = {
  deploy: { detached: ACTIVITIES, own: [...HELPER, 'lock', 'record', 'activity', 'nix-roots', 'profile'] },
  carry: {
    own: ['common', 'claim', ...HELPER, 'nix-roots', 'protect', 'native-store', 'native-aside', 'native-transfer'],
  },
  collect: { own: ['common', 'claim', ...HELPER, 'native-store', 'native-aside', 'collect'] },
}
const RECEIVER: Parts = { own: ['common', 'refuse', 'claim', 'native-store', 'native-aside', 'native-receive'] }
const NIX: Parts = { detached: ['common', 'nix-realise'], own: ['refuse', 'nix', 'nix-channel'] }

/** Words `STATE:ACTIVITY`, without an activity where none was intended. */
const STATES = RECORD_STATES.map((state) => `${state}:${recordState(state).during ?? ''}`).join(' ')

export interface HelperToStart {
  readonly role: Role
  readonly marker: string
  /** A helper that is ended first, named as it has named itself, with what it has begun and not detached. */
  readonly predecessor?: string
}

/** The helper: answers framed requests on standard input, after a line that is the marker (see `runtime/serve.sh`). */
export function helperScript({ role, marker, predecessor }: HelperToStart): string {
  const words = [quote(marker), ...operationsOf(role)]
  const start = `states=${quote(STATES)}\nserve ${words.join(' ')}\n`
  return `${runtime(HELPERS[role])}\n${ending(predecessor)}${start}`
}

/** Ends a script, if it is still there. */
export function ending(identity: string | undefined): string {
  if (identity === undefined) return ''
  const process = quote(identity.replace(/:.*/, ''))
  return `! is_alive ${quote(identity)} || kill -KILL -${process} ${process} 2>/dev/null\n`
}

export interface TransferPlace {
  /** Directory aside from the store. */
  readonly incoming: string
  /** Of the transfer, in it. */
  readonly name: string
  /** The helper that is going to commit it. */
  readonly owner: string
}

/**
 * Unpacks the archive on standard input and prints `received TAR-STATUS CHECKSUM…`, the checksum as `cksum` or `sha256sum`
 * print it.
 */
export function receiverScript({ incoming, name, owner }: TransferPlace, checksum: 'cksum' | 'sha256sum'): string {
  return `${runtime(RECEIVER)}\nreceive_archive ${[incoming, name, owner].map(quote).join(' ')} ${checksum}\n`
}

/** What a channel of its own does with the Nix store of a target, after a line that is the marker (see `runtime/nix-channel.sh`). */
export type NixOperation = { readonly kind: 'serve' } | { readonly kind: 'build'; readonly jobs: number }

export function nixScript(operation: NixOperation, marker: string): string {
  const words = operation.kind === 'build' ? [marker, String(operation.jobs)] : [marker]
  return `${runtime(NIX)}\n${operation.kind}_nix ${words.map(quote).join(' ')}\n`
}

/** What is evaluated by detached processes as well is in a variable, since they are given the same text. */
export function runtime({ detached, own }: Parts): string {
  const parts = own.map(part)
  return [...(detached === undefined ? [] : [detachedText(detached)]), ...parts].join('\n')
}

function detachedText(parts: readonly string[]): string {
  return `detached=${quote(parts.map(part).join('\n'))}\neval "$detached"`
}

function part(name: string): string {
  const text = readFileSync(new URL(`../runtime/${name}.sh`, import.meta.url), 'utf8')
  return text
    .split('\n')
    .filter((line) => line !== '' && !/^\s*#/.test(line))
    .map((line) => line.replace(/^\s+/, ''))
    .join('\n')
}

export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
