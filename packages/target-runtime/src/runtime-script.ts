import { readFileSync } from 'node:fs'

const PARTS = [
  'common',
  'claim',
  'serve',
  'lock',
  'record',
  'activity',
  'runner',
  'profile',
  'roots',
  'native-store',
  'native-transfer',
  'nix-store',
]
const COLLECTOR_PARTS = [
  'common',
  'claim',
  'serve',
  'lock',
  'roots',
  'native-store',
  'native-transfer',
  'nix-store',
  'collect',
]
const NIX_PARTS = ['common', 'claim', 'nix-store']

/**
 * The helper: answers framed requests on standard input, after a line that is the marker (see `runtime/serve.sh`). First it ends
 * its predecessor, which is named as it has named itself, with what that has begun and not detached.
 */
export function serverScript(marker: string, predecessor?: string): string {
  return `${runtime(PARTS)}\n${ending(predecessor)}serve ${quote(marker)}\n`
}

/** Ends a script, if it is still there. */
export function ending(identity: string | undefined): string {
  if (identity === undefined) return ''
  const process = quote(identity.replace(/:.*/, ''))
  return `! is_alive ${quote(identity)} || kill -KILL -${process} ${process} 2>/dev/null\n`
}

/** A helper that collects garbage (see `runtime/collect.sh`). */
export function collectorScript(marker: string): string {
  return `${runtime(COLLECTOR_PARTS)}\nserve ${quote(marker)}\n`
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
  return `${runtime(PARTS)}\nreceive_archive ${[incoming, name, owner].map(quote).join(' ')} ${checksum}\n`
}

/** What a channel of its own does with the Nix store of a target, after a line that is the marker (see `runtime/nix-store.sh`). */
export type NixOperation = { readonly kind: 'serve' } | { readonly kind: 'build'; readonly jobs: number }

export function nixScript(operation: NixOperation, marker: string): string {
  const words = operation.kind === 'build' ? [marker, String(operation.jobs)] : [marker]
  return `${runtime(NIX_PARTS)}\n${operation.kind}_nix ${words.map(quote).join(' ')}\n`
}

/** The parts in a variable, since runners of activities and builds are given the same text, and evaluated. */
export function runtime(parts: readonly string[]): string {
  return `runtime=${quote(parts.map(part).join('\n'))}\neval "$runtime"`
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
