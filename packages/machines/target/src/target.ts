export { type ContainerProperties, containerPropertiesOf } from './records/container-properties.ts'
export { abandonRecord } from './records/abandon.ts'
export {
  NOT_SAVABLE,
  type ActivityDefinition,
  type ActivityRequest,
  type ActivityResult,
  type ModuleReference,
  awaitActivity,
  performActivity,
} from './records/activity.ts'
export { interfaceKindOf, isHere, requestFor, requestKeyFor } from './request-for.ts'
export type { Role } from '@davit/target-runtime'
export { allTargets, isSkippable, type SkipTerms, targetsToUse } from './all-targets.ts'
export { isTakenOver, noteTakenOver, readInstalled, takeOverInstalled } from './client/installed.ts'
export { collectNixGarbage, type Remnant, trimProfile, trimRemnants } from './collector.ts'
export {
  checkModulesHere,
  missingModule,
  type KnownModule,
  moduleHere,
  type WantedModule,
  wantedModules,
} from './records/modules-here.ts'
export {
  definitionOf,
  type FoundModule,
  findModules,
  type Lack,
  lackingModules,
  moduleOf,
  referenceToDysnomia,
  profileModuleOf,
  resolveModules,
} from './records/definition.ts'
export { type Disk, type MachineCondition, readCondition, type Space } from './condition.ts'
export { type Compressor, COMPRESSORS, isSamePlace } from './helper/facts.ts'
export { type Fleeting, hintForFleeting, wordsForFleeting } from './helper/fleeting.ts'
export {
  acquireLock,
  type Intention,
  type LockHolder,
  lockHolder,
  type LockPlace,
  releaseLock,
  renewLock,
  type WantedProfile,
} from './lock.ts'
export { type Deviation, lookAtTarget } from './look.ts'
export { callLogs, type LogCall, type ProgramOutput } from './logs/call-logs.ts'
export { type FileLog, type FilePart, listActivityLogs, readFiles, type ReadFiles } from './logs/read-files.ts'
export { type Machine, openMachine } from './machine.ts'
export { groupByMachine, machinesOf, type MachineTargets } from './machines.ts'
export { collectGarbage, type CollectOptions, findGarbage, type Garbage } from './native/collect.ts'
export { type AlteredPackages, findAltered } from './native/altered.ts'
export type { StoredBytes, StoreRoot } from './native/survey.ts'
export type { DamagedRecord, ForeignRecord, Observation, ObservedRecord } from './records/observation.ts'
export { observeAfterTrials } from './records/observe-after-trials.ts'
export { observeMachine, observeMappings } from './records/observe.ts'
export { openTargetStore } from './open-target-store.ts'
export { askServices, askStatuses, askUnrecorded, type ServiceStatus } from './records/questions.ts'
export { type MachineInventory, readInventory } from './read-inventory.ts'
export type { StateTimes } from './records/times.ts'
export { recordText } from './records/record.ts'
export { reachedBy, referencesIn } from './records/references.ts'
export {
  isUnresolved,
  type MachineNeed,
  resolveSecrets,
  type SecretNeed,
  unresolvedOf,
  valuesOf,
} from './records/secrets.ts'
export { profileRoot, type ProfileToSet, setProfile } from './profile.ts'
export { type CurrentProfile, readProfiles, type TargetProfiles, type ToldProfile } from './read-profiles.ts'
export { reachTargets, type ReachedTargets } from './reach-targets.ts'
export { isBroken } from './helper/reconnect.ts'
export { badAnswer, readLines } from './helper/answer-lines.ts'
export { endOfOutput } from './helper/stream-tail.ts'
export { refusalFor } from './helper/refused-request.ts'
export { newMarker } from './helper/after-marker.ts'
export { openScript, type ScriptChannel } from './script-channel.ts'
export type { ShellTarget } from './shell-target.ts'
export type { TargetBuildOutcome, TargetStore, Transferred } from './target-store.ts'
export { cleanSnapshots, type CleanedComponent } from './snapshots/clean-snapshots.ts'
export { copySnapshot } from './snapshots/copy-snapshot.ts'
export type { DirectSsh } from '@davit/connection'
export { sendDirectly } from './snapshots/send-directly.ts'
export type { SnapshotCopy } from './snapshots/snapshot-receiver.ts'
export {
  type Component,
  findSnapshot,
  listSnapshots,
  type Snapshot,
  type SnapshotStore,
} from './snapshots/snapshot-store.ts'
export { readStateMark, type StateMark } from './snapshots/state-marks.ts'
export { performStateActivity, replaceState, type StateRequest, WHATEVER_IS_THERE } from './snapshots/state-activity.ts'
export {
  discardAside,
  noteVerified,
  storeAside,
  type Verification,
  verifySnapshot,
} from './snapshots/verify-snapshot.ts'
export {
  type AdoptedState,
  adoptRecord,
  adoptState,
  type CopiedSnapshot,
  giveBack,
  type GivenBack,
  noteOriginal,
  originalMarks,
  type OriginalProfile,
  type OriginalTerms,
} from './originals/adopt.ts'
export { type OriginalDeployment, originalLocked, originalProfile } from './originals/original.ts'
export {
  beginTrial,
  confirmTrial,
  extendTrial,
  type FailedStep,
  forgetTrial,
  revertTrial,
  type StepBack,
  type Survival,
  type Trial,
  type TrialState,
  trialState,
} from './trial.ts'
