export {
  type Activation,
  activitiesOf,
  type Activity,
  type ActivityKind,
  type AnyActivity,
  type Deactivation,
  isEmpty,
  isVerbActivity,
  type OutdatedMapping,
  type Restoring,
  type Snapshotting,
  type StatefulService,
  type Transfer,
  type Transition,
  type VerbActivity,
} from './activity.ts'
export { coresOf } from './cores-of.ts'
export { forgottenOf, type Forgetting } from './forgotten.ts'
export { KINDS, type KindTable, type KindTraits, traitsOf } from './kinds.ts'
export { type Leaving, leftBehindMessages, leftBehindOf, vanishedOf } from './left-behind.ts'
export { type Doubt, type ObservedMapping } from './observed-mapping.ts'
export { observedOf } from './observed-of.ts'
export { planRollback } from './plan-rollback.ts'
export { identityOf, type PlacedService, placedServices, type RecordedPlace, targetLabelOf } from './placed-service.ts'
export { type PlanOptions, planTransition } from './plan-transition.ts'
export { type Place, type Reason, renderReason } from './reason.ts'
export { factsOf, keptFacts, outdatedMessage, plannedMessage, remarkText } from './facts.ts'
export { keptText, stepText } from './messages.ts'
export { settingChanges, type Settings } from './setting-changes.ts'
export { assumedIn, inconsistenciesOf, type Inconsistency } from './unreachable.ts'
export { type StatePlan } from './plan-state.ts'
export {
  skippedMessage,
  stateBetween,
  type StateChange,
  statefulServices,
  type StateMove,
  type StateMoves,
  stateMovesOf,
} from './state-moves.ts'
export { wayBack, type WayBackStep } from './way-back.ts'
