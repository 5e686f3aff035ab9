import type { ServiceName } from '@davit/documents'

export interface ParameterProblem {
  /** What the package uses. */
  readonly subject: string
  readonly reason: string
  readonly hint: string
  /** The dependency whose member it is. */
  readonly dependency?: ServiceName
}

/** A package uses something of its parameters that is not there. */
export class ParameterError extends Error {
  readonly problem: ParameterProblem

  constructor(problem: ParameterProblem) {
    super(`${problem.subject} is used, but ${problem.reason}`)
    this.name = 'ParameterError'
    this.problem = problem
  }
}
