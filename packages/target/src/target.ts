export {
  type ActivityDefinition,
  type ActivityRequest,
  type ActivityResult,
  awaitActivity,
  performActivity,
} from './activity.ts'
export { interfaceKindOf } from './address.ts'
export { allTargets } from './all-targets.ts'
export { definitionOf } from './definition.ts'
export { isSamePlace, type MachineFacts } from './facts.ts'
export {
  acquireLock,
  type LockAnswer,
  type LockHolder,
  lockHolder,
  type LockPlace,
  type LockRequest,
  releaseLock,
  renewLock,
} from './lock.ts'
export { type Machine, openMachine } from './machine.ts'
export { observeMappings, type ObservedRecord } from './observe.ts'
export { openTargetStore } from './open-target-store.ts'
export { type ProfileToSet, setProfile } from './profile.ts'
export { reachTargets, type ReachedTargets } from './reach-targets.ts'
export type { ShellTarget } from './shell-target.ts'
export type {
  MissingOptions,
  TargetBuildOptions,
  TargetBuildOutcome,
  TargetStore,
  TransferOptions,
  Transferred,
} from './target-store.ts'
