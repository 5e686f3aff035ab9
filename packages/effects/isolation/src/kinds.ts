import { randomInt } from 'node:crypto'

/** How far programs are isolated from the rest of the machine, and from each other. */
export type Isolation = Bubblewrap | Namespaces | { readonly kind: 'none' }

/** No network unless requested; no process survives the program. Without `options`, those of util-linux are used. */
export interface Namespaces {
  readonly kind: 'namespaces'
  readonly program: string
  readonly options?: readonly string[]
}

/** Own namespaces, and a view of the machine that holds nothing but what it states. */
export interface Bubblewrap {
  readonly kind: 'bubblewrap'
  readonly program: string
  /**
   * Whether programs run as an account that nobody else has: `direct`, or `bound` if that account cannot reach the directory, which is then
   * bound to where it can. Otherwise they run as the account that starts them.
   */
  readonly account?: 'direct' | 'bound'
}

/** First of the numbers for accounts of programs: above those that directories of users give out, and below what Linux reserves. */
export const FIRST_ACCOUNT = 2_100_000_000
const ACCOUNTS = 40_000_000

/** Returns the number of an account that nobody has, and that two programs at a time do not share. */
export function newAccount(): number {
  return FIRST_ACCOUNT + randomInt(ACCOUNTS)
}

const NAMESPACES = ['--pid', '--fork', '--kill-child', '--mount-proc']
/** Without `--kill-child`: the first process of the namespace is in the process group of the program, and ended with it. */
const BUSYBOX_NAMESPACES = ['-p', '-f', '--mount-proc']

/** Kinds of isolation, best first, each without the path of its program. */
export const KINDS: readonly Exclude<Isolation, { readonly kind: 'none' }>[] = [
  { kind: 'bubblewrap', program: 'bwrap', account: 'direct' },
  { kind: 'bubblewrap', program: 'bwrap', account: 'bound' },
  { kind: 'bubblewrap', program: 'bwrap' },
  { kind: 'namespaces', program: 'unshare' },
  { kind: 'namespaces', program: 'unshare', options: BUSYBOX_NAMESPACES },
]

/** Returns the isolation of an attempt that has worked, by its place in `attempts`. */
export function isolationFrom(index: number, program: string): Isolation {
  const found = KINDS[index]
  return found === undefined ? { kind: 'none' } : { ...found, program }
}

export function namespaceOptions(options: readonly string[] = NAMESPACES): readonly string[] {
  return options
}
