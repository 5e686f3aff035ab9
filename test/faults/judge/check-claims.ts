import { ERROR_CLAIMS, MESSAGE_CLAIMS, stepClaim } from './claims.ts'
import type { CoordinatorState } from '../observe/coordinator-state.ts'
import { ONLY_WRONG, OTHERS_SAY, SAYS_NOTHING } from './no-claims.ts'
import type { Line, Run } from '../drive/run.ts'
import { readable, type Said, saidIn } from '../observe/said.ts'
import type { JournalEntry, Survey } from '../observe/survey.ts'
import type { Goal } from '../drive/system.ts'
import type { Activity } from '../observe/timeline.ts'

/** What claims are compared with. */
export interface World {
  readonly attempted: Goal
  /** `TARGET:CONTAINER:KEY` → name of the service, of all that is ever deployed. */
  readonly names: ReadonlyMap<string, string>
  readonly run: Pick<Run, 'startedAt' | 'passed'>
  /** Before the run, and after it; something of it may go on. */
  readonly start: readonly Survey[]
  readonly after: readonly Survey[]
  readonly coordinator: CoordinatorState
  /** What the modules have written down since the run began. */
  readonly journal: readonly JournalEntry[]
  readonly stateAt: (time: bigint) => Activity
  /** Whether nothing of an earlier run was still at work. */
  readonly isAlone: boolean
  /** Hosts of which the run cannot know what became of them. */
  readonly rebooted: ReadonlySet<string>
  readonly reinstalled: ReadonlySet<string>
  /** All hosts that were started again, whether the run can know it or not. */
  readonly boots: ReadonlySet<string>
}

const UNKNOWN = ', and nobody knows whether that is a claim'

/** Whether it is not about what davit did, but about codes that are in none of the tables: claims.ts, no-claims.ts. */
export function isAboutWords(problem: string): boolean {
  return problem.endsWith(UNKNOWN)
}

/** All that a run has said is true. A code that nobody knows is a problem as well: it may be a claim. */
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
