import type { Run } from '../drive/run.ts'
import { saidIn } from '../observe/said.ts'

/** What a run of which nothing was interrupted has come to: what it was to reach, nothing, as it has said, or a failure. */
export type Result = 'reached' | 'nothing-done' | 'failed'

/** Codes with which `--resume` and `--abort` say that they do nothing, by the way and the coordinator. */
const NOTHING_DONE: Readonly<Record<Run['way'], Readonly<Record<Run['coordinator'], readonly string[]>>>> = {
  repeated: { same: [], second: [] },
  resumed: { same: ['nothing-wanted'], second: ['nothing-wanted', 'wanted-unknown'] },
  aborted: { same: ['no-generation'], second: ['nothing-found', 'half-recorded'] },
}

export function resultOf(run: Run): Result {
  if (hasDoneNothing(run)) return 'nothing-done'
  return run.status === 0 ? 'reached' : 'failed'
}

export function hasDoneNothing({ way, coordinator, said }: Run): boolean {
  const codes = new Set(said().flatMap((line) => saidIn(line)?.code ?? []))
  return NOTHING_DONE[way][coordinator].some((code) => codes.has(code))
}
