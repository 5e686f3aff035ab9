import { GRACEFUL, isStep, type Step } from '../drive/system.ts'

const SIGNALS = [...GRACEFUL, 'KILL'] as const

/**
 * Kinds of interruptions: a signal to the process of davit-env, which runs the tool at the point, or to its process group as from a
 * terminal; two signals, the second while the first is being handled; the end of the davit-connect that holds the connections, or of its
 * socket; and mishaps of the host of the point, among them that modules fail there.
 */
export const KINDS = [
  ...SIGNALS.flatMap((signal) => (['env', 'group'] as const).map((victim) => `${victim}:${signal}` as const)),
  'twice:INT',
  'twice:TERM',
  'connect:KILL',
  'connect:unlink',
  'cut',
  'sshd',
  'reboot',
  'reinstall',
  'fill',
  'fail',
] as const
export type Kind = (typeof KINDS)[number]
/** A kind of interruption that happens to a host. */
export type Mishap = Extract<Kind, 'cut' | 'sshd' | 'reboot' | 'reinstall' | 'fill' | 'fail'>

export interface Strike {
  readonly kind: Kind
  /** `TOOL:MOMENT:HOST:NUMBER`: the NUMBER-th time that the tool reaches this moment with this host. */
  readonly point: string
}

export interface Fault extends Strike {
  readonly step: Step
  /** The interruption of the next run. */
  readonly again?: Strike
  /** The coordinator that continues: the same one, or one that knows nothing. */
  readonly coordinator: 'same' | 'second'
  /** Whether activities that are under way are held up until the next run has encountered them. */
  readonly pace: 'usual' | 'held'
  /**
   * Whether the interrupted run is one of davit-env, with connections of its own, or of one tool after the other, with connections
   * that a davit-connect holds for them and for the next run.
   */
  readonly connections: 'own' | 'shared'
  /** What comes after the interruptions: the same command, or `davit-env --resume` or `--abort`, and then the same command. */
  readonly wayOn: 'repeated' | 'resumed' | 'aborted'
  /** Whether targets go back by themselves unless a run confirms what it has deployed; then all runs do so, or none. */
  readonly trial: 'none' | 'confirmed'
}

/** The ways on that their own words name in the name of a fault. */
export const WAYS = ['resumed', 'aborted'] as const

/** The word for shared connections in the name of a fault. */
const SHARED = 'connect'

export function nameOf({ step, kind, point, again, coordinator, pace, connections, wayOn, trial }: Fault): string {
  return [
    step,
    kind,
    point,
    ...(again === undefined ? [] : ['then', again.kind, again.point]),
    ...(coordinator === 'second' ? [coordinator] : []),
    ...(pace === 'held' ? [pace] : []),
    ...(connections === 'shared' ? [SHARED] : []),
    ...(trial === 'none' ? [] : [trial]),
    ...(wayOn === 'repeated' ? [] : [wayOn]),
  ].join(' ')
}

export function parseFault(name: string): Fault | undefined {
  const [step = '', kind, point, ...more] = name.split(/\s+/)
  const strike = strikeOf(kind, point)
  if (!isStep(step) || strike === undefined) return undefined
  const again = more[0] === 'then' ? strikeOf(more[1], more[2]) : undefined
  return {
    step,
    ...strike,
    ...(again === undefined ? {} : { again }),
    ...circumstancesOf(strike, more),
  }
}

function circumstancesOf(
  { kind }: Strike,
  words: readonly string[],
): Pick<Fault, 'coordinator' | 'pace' | 'connections' | 'wayOn' | 'trial'> {
  return {
    coordinator: words.includes('second') ? 'second' : 'same',
    pace: words.includes('held') ? 'held' : 'usual',
    connections: isOfHolder(kind) || words.includes(SHARED) ? 'shared' : 'own',
    trial: words.includes('confirmed') ? 'confirmed' : 'none',
    wayOn: WAYS.find((way) => words.includes(way)) ?? 'repeated',
  }
}

function strikeOf(kind = '', point = ''): Strike | undefined {
  return (KINDS as readonly string[]).includes(kind) && /^davit-[a-z-]+:[a-z_-]+:[a-z0-9-]+:\d+$/.test(point)
    ? { kind: kind as Kind, point }
    : undefined
}

/** Whether programs or activities that the run has started may continue after davit-env has ended. */
export function leavesOrphans({ kind }: Strike): boolean {
  return (kind.endsWith(':KILL') && !isOfHolder(kind)) || kind.startsWith('twice:')
}

/** Whether a kind of interruption happens to davit-connect. */
export function isOfHolder(kind: Kind): boolean {
  return kind.startsWith('connect:')
}

export function isMishap(kind: Kind): kind is Mishap {
  return !kind.includes(':')
}
