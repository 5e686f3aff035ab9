export type { ActivityFailure, TransitionOutcome } from './outcome.ts'
export type { Perform, PerformOutcome } from './perform.ts'
export { type RunOptions, runTransition } from './run-transition.ts'
