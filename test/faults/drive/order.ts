import { parseArgs } from 'node:util'
import { availableParallelism } from 'node:os'
import type { Subject } from './ledger.ts'

/** Options of the command line. */
export interface Order extends Pick<Subject, 'extent' | 'name'> {
  /** Seed of random choices; undefined for any. */
  readonly seed: number | undefined
  /** Number of rounds; undefined for all. */
  readonly rounds: number | undefined
  readonly share: Share
  /** Number of rounds at a time. */
  readonly jobs: number
  /** File of `--resume`. */
  readonly file: string | undefined
}

/** The rounds whose number divided by `of` leaves the remainder `part`. */
export interface Share {
  readonly part: number
  readonly of: number
}

/** Default number of jobs: a round spends about half of its time waiting. */
const JOBS = 2 * availableParallelism()

export function readOrder(argv: readonly string[]): Order {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      seed: { type: 'string' },
      rounds: { type: 'string' },
      share: { type: 'string', default: '1/1' },
      jobs: { type: 'string', default: String(JOBS) },
      resume: { type: 'string' },
      'every-signal': { type: 'boolean', default: false },
    },
  })
  const { seed, rounds, share, jobs, resume, 'every-signal': isEvery } = values
  return {
    seed: seed === undefined ? undefined : numberOf('seed', seed),
    rounds: rounds === undefined ? undefined : numberOf('rounds', rounds),
    share: shareOf(share),
    jobs: numberOf('jobs', jobs),
    file: resume,
    extent: isEvery ? 'every-signal' : 'one-of-each',
    name: positionals.join(' '),
  }
}

function numberOf(option: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`--${option} needs a number, not '${text}'`)
  return Number(text)
}

function shareOf(text: string): Share {
  const [, part, of] = (/^([1-9]\d{0,3})\/([1-9]\d{0,3})$/.exec(text) ?? []).map(Number)
  if (part === undefined || of === undefined || part > of) {
    throw new Error(`--share needs a share such as 1/3, not '${text}'`)
  }
  return { part: part - 1, of }
}
