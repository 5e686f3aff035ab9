import type { ServiceName } from '@davit/documents'

export interface ParameterProblem {
  /** Reference as its author wrote it, or a member of a dependency. */
  readonly used: string | MemberOfDependency
  readonly reason: string
  readonly hint: string
}

export interface MemberOfDependency {
  readonly member: string
  readonly dependency: ServiceName
}

/** A package, or the function of a model, uses a parameter or member that does not exist. */
export class ParameterError extends Error {
  readonly problem: ParameterProblem

  constructor(problem: ParameterProblem) {
    super(problem.reason)
    this.name = 'ParameterError'
    this.problem = problem
  }
}
