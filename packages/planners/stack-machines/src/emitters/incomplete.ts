import type { Place } from '@davit/diagnostics'
import { finding, type Instance, placeOf } from '@davit/stack'
import type { Emitting } from '../unit.ts'

export interface Problem {
  readonly message: string
  readonly hint: string
  /** By default, that of the service. */
  readonly place?: Place
}

/** Reports that a leaf cannot become a service as it is. */
export function reportIncomplete(leaf: Instance, problem: Problem, { findings }: Emitting): undefined {
  findings.push(finding('MU610', [leaf.fqn], { place: placeOf(leaf.spot), ...problem }))
}
