import type { Line } from './table.ts'
import type { Workplace } from './workplace.ts'

export interface Bench {
  readonly name: string
  /** Description in `scripts/bench --help`. */
  readonly purpose: string
  readonly usesNix: boolean
  /** Measures everything; receives its own name. */
  run(place: Workplace, name: string): Promise<readonly Line[]>
}
