export {
  commonCompressor,
  findKept,
  type KeptSnapshot,
  keptStore,
  keptStores,
  listKept,
  type StateMachines,
  storeOf,
  targetsWithKept,
} from './stores.ts'
export { sendKept, transferState, type TransferredState } from './transfer.ts'
export { componentOf, type StateScene } from './scene.ts'
export { isComponentSelected, isSelected, selectsAll, type StateSelection } from './selection.ts'
export { describe, renderTime, type SnapshotTerms, snapshotTasks, type MoveTerms } from './snapshot-tasks.ts'
export { stateError } from './state-error.ts'
export { runTasks, type TaskTerms } from './run-tasks.ts'
export { renderTasks, type StateTask, type TaskFailure, type TaskOrder } from './task.ts'
export { beginningOf } from './wanted-snapshot.ts'
