import { ending, quote, runtime } from './runtime-script.ts'

const PLACE = ['common', 'refuse', 'claim', 'remove-tree', 'native-store', 'native-place']
const SERVER = { detached: [...PLACE, 'native-builder'], own: ['native-build'] }
const SENDER = { own: ['common', 'write-archive', 'native-send'] }
const DIRECT_SENDER = { own: ['common', 'write-archive', 'direct-send'] }
const ADOPTER = { own: [...PLACE, 'native-adopt'] }

/** Directories of a native store on a target. */
export interface NativeStorePlaces {
  readonly directory: string
  readonly incoming: string
  readonly registrations: string
  readonly logs: string
}

export interface BuildServer {
  readonly marker: string
  readonly places: NativeStorePlaces
  /** Programs, and commands for a trial run that find the program in the variable `program`; the first that works is used. */
  readonly isolations: readonly (readonly string[])[]
  /** Standard input of the trial runs, as `encodeBytes` encodes it. */
  readonly probeInput: string
  /** Paths that builds see; the server reports those that exist. */
  readonly visible: readonly string[]
  /** Process of a server to end first, as that one reported it; its builds end too. */
  readonly predecessor?: string
}

/**
 * Returns a script that prints the lines `self PROCESS`, `processors NUMBER`, `isolation INDEX PROGRAM` (if one works), `visible PATH [LINK]` and
 * `ready`, and then answers requests (see `runtime/native-build.sh`).
 */
export function buildServerScript({
  marker,
  places,
  isolations,
  probeInput,
  visible,
  predecessor,
}: BuildServer): string {
  const attempts = isolations.map((words, index) => `try_isolation ${[String(index), ...words].map(quote).join(' ')}`)
  return [
    runtime(SERVER),
    `${ending(predecessor)}begin_builds ${argumentsOf(marker, places)}`,
    `probe_input=${quote(probeInput)}`,
    [...attempts, ':'].join(' || '),
    `show_existing ${visible.map(quote).join(' ')}`,
    'serve_builds\n',
  ].join('\n')
}

export interface TreesToSend {
  readonly marker: string
  readonly directory: string
  readonly checksum: 'cksum' | 'sha256sum' | 'none'
  readonly names: readonly string[]
}

/** Returns a script that sends one tar stream after the marker, then `sent TAR-STATUS` and `checksum SUM` on standard error. */
export function senderScript({ marker, directory, checksum, names }: TreesToSend): string {
  return `${runtime(SENDER)}\nsend_trees ${[marker, directory, checksum, ...names].map(quote).join(' ')}\n`
}

export interface FilesToSend {
  readonly directory: string
  readonly names: readonly string[]
  /** Where to: a machine, and the name by which its host keys are listed. */
  readonly peer: {
    readonly hostname: string
    readonly port: number
    readonly user: string
    readonly knownHosts: string
    readonly alias: string
  }
  /** Command to start there, and the line that it reads before the archive. */
  readonly command: string
  readonly line: string
}

/** Returns a script that sends an archive to another machine by itself (see `runtime/direct-send.sh`). */
export function directSenderScript({ directory, names, peer, command, line }: FilesToSend): string {
  const { hostname, port, user, alias, knownHosts } = peer
  const words = [directory, hostname, String(port), user, alias, knownHosts, command, line, ...names]
  return `${runtime(DIRECT_SENDER)}\nsend_directly ${words.map(quote).join(' ')}\n`
}

export interface BuiltToAdopt {
  readonly marker: string
  readonly places: NativeStorePlaces
  /** Paths, references before referrers. */
  readonly records: readonly AdoptedPath[]
}

export interface AdoptedPath {
  readonly name: string
  /** Absent if it is to be removed. */
  readonly valid?: {
    /** Encoded registration. */
    readonly record: string
    /** Time of everything in it, in seconds since 1970. */
    readonly time: number
  }
}

/** Returns a script that makes built paths valid, and prints `adopted` at its end. */
export function adoptScript({ marker, places, records }: BuiltToAdopt): string {
  const words = records.flatMap(({ name, valid }) =>
    [name, valid?.record ?? '-', valid === undefined ? '-' : touchTime(valid.time)].map(quote),
  )
  return `${runtime(ADOPTER)}\nadopt_built ${[argumentsOf(marker, places), ...words].join(' ')}\n`
}

/** Returns a time as `touch -t` takes it, in UTC: `200109090146.40`. */
function touchTime(seconds: number): string {
  const [minutes = '', rest = ''] = new Date(seconds * 1000)
    .toISOString()
    .slice(0, -5)
    .replaceAll(/[-T:]/g, '')
    .match(/.{1,12}/g) as RegExpMatchArray
  return `${minutes}.${rest}`
}

function argumentsOf(marker: string, { directory, incoming, registrations, logs }: NativeStorePlaces): string {
  return [marker, directory, incoming, registrations, logs].map(quote).join(' ')
}
