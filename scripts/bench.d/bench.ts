import type { Line } from './table.ts'
import type { Workplace } from './workplace.ts'

export interface Bench {
  readonly name: string
  /** Description in `scripts/bench --help`. */
  readonly purpose: string
  readonly usesNix: boolean
  /** Measures everything. */
  run(place: Workplace): Promise<readonly Line[]>
}

/** What every benchmark is told. */
interface Frame {
  readonly name: string
  readonly runs: number
}

interface Row<Terms> extends Pick<Bench, 'name' | 'purpose'> {
  readonly usesNix?: true
  measure(place: Workplace, terms: Terms & Frame): Promise<readonly Line[]>
  /** How often a slow benchmark is repeated at the most. */
  readonly maxRuns?: number
  /** Sizes and aims. */
  readonly terms: Terms
  /** Sizes of a quick run, if they are others. */
  readonly quick?: Partial<NoInfer<Terms>>
}

/** Makes a benchmark of a function that measures something of a certain size. */
export function bench<Terms extends object>({ measure, terms, quick, ...row }: Row<Terms>): Bench {
  const { name, purpose, usesNix = false, maxRuns = Infinity } = row
  return {
    name,
    purpose,
    usesNix,
    run: (place) =>
      measure(place, { ...terms, ...(place.quick ? quick : {}), name, runs: Math.min(place.runs, maxRuns) }),
  }
}
