import { neededBy, shortened, sourceOf, textOf } from './functions.ts'
import { operation, type OperationName, operationsOf, type Role } from './operations.ts'

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
  /** Operations for which it has everything from the start. */
  readonly operations?: readonly OperationName[]
}

/** What a helper is sent. */
export interface HelperText {
  /** Prints the marker line and then answers framed requests (see `runtime/serve.sh`). */
  readonly script: string
  /** Returns what an operation needs and the helper does not have yet, which is nothing if this was called for it before. */
  define(name: OperationName): string
}

/** What every helper needs besides operations; `is_alive` finds a predecessor that is to be ended. */
const SERVE = ['serve', 'operation_unknown', 'is_alive']

export function helperText({ role, marker, predecessor, client = '', operations = [] }: HelperToStart): HelperText {
  const isLeftOut = (file: string) => client === '' && CLIENT_FILES.has(file)
  const sent = new Set<string>()
  const detached = new Set<string>()
  const define = (name: OperationName) => {
    const { detached: roots } = operation(name)
    const apart = roots === undefined ? '' : textOf(added(detached, neededBy(['run', ...roots], isLeftOut)))
    if (apart !== '') added(sent, [...detached])
    const own = textOf(added(sent, neededBy([`operation_${name}`], isLeftOut)))
    return apart === '' ? own : `more=${quote(apart)}\ndetached=$detached$more\neval "$more"\n${own}`
  }
  const all = operationsOf(role)
  const first = all.filter((name) => operation(name).isAskedFirst)
  const script = [
    textOf(added(sent, neededBy(SERVE, isLeftOut))),
    "detached=''\n",
    ...[...first, ...operations].map(define),
    ending(predecessor),
    `client_place=${quote(client)}\nserve ${[quote(marker), ...all].join(' ')}\n`,
  ].join('')
  return { script, define }
}

/** Adds names to a set; returns those that were not in it. */
function added(set: Set<string>, names: readonly string[]): readonly string[] {
  const others = names.filter((name) => !set.has(name))
  for (const name of others) set.add(name)
  return others
}

/** Files with what only machines behind a client executable need. */
const CLIENT_FILES = new Set(['client', 'client-runner'])

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

/** Files of `runtime/` that a script is composed of. */
export interface Parts {
  /** Those that its detached processes evaluate too: everything that these need. */
  readonly detached?: readonly string[]
  readonly own: readonly string[]
}

/** Composes a script. Text for detached processes is in a variable, so that they can be given the same text. */
export function runtime({ detached, own }: Parts): string {
  const text = detached === undefined ? [] : [quote(`\n${detached.map(runtimePart).join('\n')}`)]
  return [...text.map((quoted) => `detached=${quoted}\neval "$detached"`), ...own.map(runtimePart)].join('\n')
}

/** Text of a part of `runtime/`, without comments and indentation. Before that for states stands the table of verbs. */
export function runtimePart(name: string): string {
  return shortened(sourceOf(name))
}

export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
