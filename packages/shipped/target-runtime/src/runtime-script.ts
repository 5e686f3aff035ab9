import { readFileSync } from 'node:fs'

import { operationsOf, type Role } from './operations.ts'
import { HELPERS, type Parts } from './parts.ts'
import { verbCases } from './verbs.ts'

const RECEIVER: Parts = {
  own: ['common', 'refuse', 'claim', 'remove-tree', 'native-store', 'native-aside', 'native-receive'],
}
const NIX: Parts = { detached: ['common', 'nix-realise'], own: ['refuse', 'nix', 'nix-channel'] }
const ORIGINAL_LOCK: Parts = {
  detached: ['common', 'refuse', 'claim', 'holder', 'lock-file', 'make-lock', 'original-lock'],
  own: [],
}
const CLIENT: Parts = { own: ['client-call'] }

export interface HelperToStart {
  readonly role: Role
  readonly marker: string
  /** Process of a helper to end first, as that one reported it; only its detached processes go on. */
  readonly predecessor?: string
  /** If the machine is reached through a client executable: the name of its place in the state directory of this machine. */
  readonly client?: string
}

/** Returns the script of a helper, which prints the marker line and then answers framed requests (see `runtime/serve.sh`). */
export function helperScript({ role, marker, predecessor, client = '' }: HelperToStart): string {
  const words = [quote(marker), ...operationsOf(role)]
  const start = `client_place=${quote(client)}\nserve ${words.join(' ')}\n`
  const parts = client === '' ? HELPERS[role] : withClient(HELPERS[role])
  return `${runtime(parts)}\n${ending(predecessor)}${start}`
}

/** Adds what only machines behind a client executable need. Their scripts are not sent anywhere, so they may be longer. */
function withClient({ detached, own, ...rest }: Parts): Parts {
  return detached === undefined
    ? { own, ...rest }
    : { ...rest, detached: [...detached, 'client-runner'], own: [...own, 'client'] }
}

export interface ScriptToLoad {
  readonly loader: string
  readonly input: string
}

/**
 * Returns a script that reads another one from its input, and evaluates it if it has come as a whole. A shell reads byte by byte, and a
 * utility in one go, but perhaps more than it is asked for: so nothing may follow until the other script has printed its marker. A script
 * whose processes outlive it leaves the session of the login, if that ends what it has started.
 */
export function loaded(script: string, marker: string, stay: 'stay' | 'leave' = 'stay'): ScriptToLoad {
  const end = `# end of ${marker}`
  const input = `${script}${end}\n`
  const loader = `end=${quote(end)} loaded='' line=
if command -v head >/dev/null 2>&1; then
loaded=$(head -c ${Buffer.byteLength(input)})
else
while [ "$line" != "$end" ] && IFS= read -r line; do
loaded="$loaded
$line"
done
fi
case $loaded in
*"$end") eval "unset end loaded line
$loaded" ;;
esac
`
  return { loader: stay === 'stay' ? loader : leaving(loader), input }
}

/** Leaves the session first: see `runtime/session.sh`. */
function leaving(loader: string): string {
  return `${runtime({ own: ['session'] })}
loader=${quote(loader)}
leave_session /bin/sh -c "$loader"
eval "unset root group unit rest line ending self_id mode account spared only all loader
$loader"
`
}

/** Returns a command that ends a script, if it still runs. */
export function ending(identity: string | undefined): string {
  if (identity === undefined) return ''
  const process = quote(identity.replace(/:.*/, ''))
  return `! is_alive ${quote(identity)} || kill -KILL -${process} ${process} 2>/dev/null\n`
}

export interface TransferPlace {
  /** Directory for transfers, outside the store. */
  readonly incoming: string
  /** Name of the transfer in that directory. */
  readonly name: string
  /** Process of the helper that will commit it. */
  readonly owner: string
}

/**
 * Returns a script that unpacks the archive on standard input and prints lines `status STATUS` (of tar) and `checksum SUM`, which `cksum`
 * or `sha256sum` computes.
 */
export function receiverScript(
  { incoming, name, owner }: TransferPlace,
  checksum: 'cksum' | 'sha256sum' | 'none',
): string {
  return `${runtime(RECEIVER)}\nreceive_archive ${[incoming, name, owner].map(quote).join(' ')} ${checksum}\n`
}

/** The program that is called in place of modules on a machine that is reached through a client executable. */
export function clientModule(): string {
  return `#!/bin/sh\n${runtimePart('client-module')}\n`
}

/** Returns a script that calls a client executable with these words, and ends it when the script's own input ends. */
export function executableScript(words: readonly [executable: string, ...string[]]): string {
  return `${runtime(CLIENT)}\ncall_client ${words.map(quote).join(' ')}\n`
}

export interface OriginalLockScript {
  readonly marker: string
  readonly work: 'hold' | 'drop'
  /** Directory of davit's state on the machine. */
  readonly state: string
  readonly profile: string
}

/** Returns a script that takes the lock of Disnix for davit, or gives it back, and prints the marker before what it has to say. */
export function originalLockScript({ marker, work, state, profile }: OriginalLockScript): string {
  return `${runtime(ORIGINAL_LOCK)}\n${work}_original ${[marker, state, profile].map(quote).join(' ')}\n`
}

/** Work with the Nix store of a target on a channel of its own (see `runtime/nix-channel.sh`). */
export type NixOperation = { readonly kind: 'serve' } | { readonly kind: 'build'; readonly jobs: number }

export function nixScript(operation: NixOperation, marker: string): string {
  const words = operation.kind === 'build' ? [marker, String(operation.jobs)] : [marker]
  return `${runtime(NIX)}\n${operation.kind}_nix ${words.map(quote).join(' ')}\n`
}

/** Composes a script. Text for detached processes is in variables, so that they can be given the same text. */
export function runtime({ detached, asker, kept, own }: Parts): string {
  return [
    ...(detached === undefined ? [] : [`${assignment('detached', detached)}\neval "$detached"`]),
    ...(kept === undefined ? [] : [`${assignment('kept', kept)}\neval "$kept"`]),
    ...(asker === undefined ? [] : [assignment('asker', asker)]),
    ...own.map(runtimePart),
  ].join('\n')
}

function assignment(variable: string, parts: readonly string[]): string {
  return `${variable}=${quote(`\n${parts.map(runtimePart).join('\n')}`)}`
}

/** Text of a part of `runtime/`, without comments and indentation. Before that for states stands the table of verbs. */
export function runtimePart(name: string): string {
  const text = readFileSync(new URL(`../runtime/${name}.sh`, import.meta.url), 'utf8')
  const table = name === 'state' ? verbCases() : ''
  return `${table}${text}`
    .split('\n')
    .filter((line) => line !== '' && !/^\s*#/.test(line))
    .map((line) => line.replace(/^\s+/, ''))
    .join('\n')
}

export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
