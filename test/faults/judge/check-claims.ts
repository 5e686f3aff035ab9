import { ERROR_CLAIMS, MESSAGE_CLAIMS, stepClaim } from './claims.ts'
import type { CoordinatorState } from '../observe/coordinator-state.ts'
import { ONLY_WRONG, OTHERS_SAY, SAYS_NOTHING } from './no-claims.ts'
import type { Line, Run } from '../drive/run.ts'
import { readable, type Said, saidIn } from '../observe/said.ts'
import type { JournalEntry, Survey } from '../observe/survey.ts'
import type { Goal } from '../drive/system.ts'
import type { Activity } from '../observe/timeline.ts'

/** What really happened, to compare claims with. */
export interface World {
  /** The deployment at the beginning of the round, and the one that the run was to reach. */
  readonly before: Goal
  readonly attempted: Goal
  /** `TARGET:CONTAINER:KEY` → name of the service, for all deployments. */
  readonly names: ReadonlyMap<string, string>
  readonly run: Pick<Run, 'startedAt' | 'passed'>
  /** State of the hosts before the run; `after` is that after it, while processes of the run may continue. */
  readonly start: readonly Survey[]
  readonly after: readonly Survey[]
  readonly coordinator: CoordinatorState
  /** Entries of the modules since the run began. */
  readonly journal: readonly JournalEntry[]
  readonly stateAt: (time: bigint) => Activity
  /** Whether no process of an earlier run was still at work. */
  readonly isAlone: boolean
  /** Hosts that were rebooted during the run, so that the run cannot know their state. */
  readonly rebooted: ReadonlySet<string>
  readonly reinstalled: ReadonlySet<string>
  /** All hosts that were rebooted in this round, whether the run can know it or not. */
  readonly boots: ReadonlySet<string>
}

const UNKNOWN = ', and it is not known whether that is a claim'

/** Whether a problem is only a code that is neither in claims.ts nor in no-claims.ts, and not about what davit did. */
export function isAboutWords(problem: string): boolean {
  return problem.endsWith(UNKNOWN)
}

/** Checks that everything a run printed is true. An unknown code is a problem as well, since it may be a claim. */
export function checkClaims(world: World, lines: readonly Line[]): readonly string[] {
  return lines.flatMap((line) => {
    const said = saidIn(line)
    const found = said === undefined ? othersClaim(line) : claimOf(said, world)
    const words = readable(line)
    if (found === 'unknown') return [`it said '${words}'${UNKNOWN}`]
    return found.map((problem) => `it said '${words}', but ${problem}`)
  })
}

function othersClaim({ text }: Line) {
  return OTHERS_SAY.some((pattern) => pattern.test(text)) ? [] : 'unknown'
}

function claimOf(said: Said, world: World): readonly string[] | 'unknown' {
  const { kind, code } = said
  if (kind === 'finished') return stepClaim(said, world)
  if (kind === 'started' || kind === 'failed') return []
  const [claims, others] = kind === 'error' ? [ERROR_CLAIMS, ONLY_WRONG] : [MESSAGE_CLAIMS, SAYS_NOTHING]
  return claims[code]?.(said, world) ?? (others.has(code) ? [] : 'unknown')
}
