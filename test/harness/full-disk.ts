import type { Outcome } from './coordinator.ts'

/** A disk whose size can be changed. */
export interface SmallPlace {
  /** Makes the disk as large as its contents plus the given amounts. */
  leave(left: Partial<Amounts>): Promise<void>
  free(): Promise<void>
  used(): Promise<Amounts>
}

export interface Amounts {
  readonly bytes: number
  readonly files: number
}

/** Whether to try all amounts, and not just samples. */
export const ALL_AMOUNTS = Boolean(process.env['DAVIT_TEST_ALL'])

export interface Steps {
  readonly kind: keyof Amounts
  /** Factor by which the space grows after each run. */
  readonly growth: number
  /** Number of additional files, or blocks of 4096 bytes, that tell that a run did something that stays. */
  readonly progress: number
}

const UNIT: Amounts = { bytes: 4096, files: 1 }
const MOST_RUNS = 300

/**
 * Runs something without any space left, then with more and more, until it succeeds. Starts from no space again after each run that
 * has done something that stays, so that each later step meets a full disk as well. Returns all outcomes.
 */
export async function fillStepByStep(
  disk: SmallPlace,
  { kind, growth, progress }: Steps,
  run: () => Promise<Outcome>,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = []
  let left = 0
  while (outcomes.length < MOST_RUNS) {
    const { [kind]: before } = await disk.used()
    await disk.leave({ [kind]: left * UNIT[kind] })
    const outcome = await run()
    outcomes.push(outcome)
    await disk.free()
    if (outcome.status === 0) return outcomes
    const { [kind]: after } = await disk.used()
    left = after - before >= progress * UNIT[kind] ? 0 : left * (ALL_AMOUNTS ? 1 : growth) + 1
  }
  throw new Error(`no end after ${MOST_RUNS} runs: ${outcomes.at(-1)?.stderr}`)
}
