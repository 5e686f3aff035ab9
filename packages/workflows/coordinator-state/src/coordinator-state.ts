export { deleteAllGenerations, deleteGenerations } from './delete-generations.ts'
export { nothingDeployed, otherDeployments } from './deployments.ts'
export { generationRoot } from './generation-root.ts'
export {
  addGeneration,
  type AddedGeneration,
  currentGeneration,
  currentNumber,
  type Deployed,
  type Generation,
  generationNumbers,
  isSameManifest,
  readGeneration,
  switchGeneration,
} from './generations.ts'
export { isKnown, markBegun, unmarkBegun } from './known.ts'
export { forgetTarget, readLeftBehind, writeLeftBehind } from './left-behind.ts'
export { generationAsFound, generationsDeleted, generationsText } from './messages.ts'
export { type Journal, openJournal, type ReadEntry, type ReadJournal, readJournal } from './journal.ts'
export type { BeginEntry, EndEntry, JournalEntry, StepEntry } from './journal-entry.ts'
export { readMadeFrom } from './made-from.ts'
export type { Origin } from './origin.ts'
export { type DeploymentPlace, deploymentPlace, placeIn } from './place.ts'
export { beginRollback, endRollback, finishRollback, isRollbackRecorded, nextRollback } from './rollback.ts'
export { releasePackages, type ReleaseOptions } from './release-packages.ts'
export { selectGenerations } from './select-generations.ts'
export {
  beginWanted,
  endWanted,
  isWanted,
  readWanted,
  type ReadWantedRun,
  undoWanted,
  type WantedRun,
} from './wanted.ts'
