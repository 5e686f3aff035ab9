import { ending, quote, runtime } from './runtime-script.ts'

const PLACE = ['common', 'refuse', 'claim', 'native-store', 'native-place']
const SERVER = { detached: [...PLACE, 'native-builder'], own: ['native-build'] }
const SENDER = { own: ['common', 'native-send'] }
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
  /** Programs, with arguments to try them with; the first that works counts. */
  readonly isolations: readonly (readonly string[])[]
  /** Paths to look for. */
  readonly hidden: readonly string[]
  /** A server that is ended first, named as it has named itself; what it was building is ended as well. */
  readonly predecessor?: string
}

/**
 * Tells, a line each, `self` (which names it), `processors NUMBER`, `isolation INDEX PROGRAM` unless none works, `hidden PATH` and `ready`, then
 * answers requests (see `runtime/native-build.sh`).
 */
export function buildServerScript({ marker, places, isolations, hidden, predecessor }: BuildServer): string {
  const attempts = isolations.map((words, index) => `try_isolation ${[String(index), ...words].map(quote).join(' ')}`)
  return [
    runtime(SERVER),
    `${ending(predecessor)}begin_builds ${argumentsOf(marker, places)}`,
    [...attempts, ':'].join(' || '),
    `show_existing ${hidden.map(quote).join(' ')}`,
    'serve_builds\n',
  ].join('\n')
}

export interface TreesToSend {
  readonly marker: string
  readonly directory: string
  readonly checksum: 'cksum' | 'sha256sum'
  readonly names: readonly string[]
}

/** One tar stream after the marker; then, on standard error, `sent TAR-STATUS` and `checksum SUM`. */
export function senderScript({ marker, directory, checksum, names }: TreesToSend): string {
  return `${runtime(SENDER)}\nsend_trees ${[marker, directory, checksum, ...names].map(quote).join(' ')}\n`
}

export interface BuiltToAdopt {
  readonly marker: string
  readonly places: NativeStorePlaces
  /** Name and encoded record of each path, referenced paths first; what has no record is thrown away. */
  readonly records: readonly (readonly [name: string, record: string | undefined])[]
}

/** Makes what was built and waits valid; prints `adopted` at its end. */
export function adoptScript({ marker, places, records }: BuiltToAdopt): string {
  const words = records.flatMap(([name, record = '-']) => [quote(name), quote(record)])
  return `${runtime(ADOPTER)}\nadopt_built ${[argumentsOf(marker, places), ...words].join(' ')}\n`
}

function argumentsOf(marker: string, { directory, incoming, registrations, logs }: NativeStorePlaces): string {
  return [marker, directory, incoming, registrations, logs].map(quote).join(' ')
}
