import { CLAIMS } from './claims.ts'
import type { CoordinatorState } from './coordinator-state.ts'
import { SAYS_NOTHING } from './no-claims.ts'
import type { Line, Run } from './run.ts'
import type { JournalEntry, Survey } from './survey.ts'
import type { Goal } from './system.ts'
import type { Activity } from './timeline.ts'

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

export interface Claim {
  /** The parts of the line that its pattern names. */
  readonly parts: readonly string[]
  readonly time: bigint
  /** Which tool has spoken last of why it ended, and what it said. */
  readonly tool: string
  readonly message: string
}

const UNKNOWN = ', and nobody knows whether that is a claim'

/** Whether it is not about what davit did, but about words that are in none of the tables: claims.ts, no-claims.ts. */
export function isAboutWords(problem: string): boolean {
  return problem.endsWith(UNKNOWN)
}

/** All that a run has said is true. A line that nobody knows is a problem as well: it may be a claim. */
export function checkClaims(world: World, lines: readonly Line[]): readonly string[] {
  const problems: string[] = []
  let [tool, message] = ['', '']
  for (const { text, time } of lines) {
    const ended = /^(davit-[a-z]+): (.*)$/.exec(text)
    if (ended !== null) [tool, message] = [ended[1]!, ended[2]!]
    const found = CLAIMS.map(([pattern, check]) => [pattern.exec(text), check] as const).find(
      ([match]) => match !== null,
    )
    if (found !== undefined) {
      const parts = found[0]!.slice(1).map((part) => part ?? '')
      problems.push(
        ...found[1]({ parts, time, tool, message }, world).map((problem) => `it said '${text}', but ${problem}`),
      )
    } else if (!SAYS_NOTHING.some((pattern) => pattern.test(text))) {
      problems.push(`it said '${text}'${UNKNOWN}`)
    }
  }
  return problems
}
