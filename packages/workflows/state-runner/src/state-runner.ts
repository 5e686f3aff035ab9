export { copySnapshots } from './copy-snapshots.ts'
export {
  commonCompressor,
  findKept,
  keptStore,
  keptStores,
  type StateMachines,
  storeOf,
  targetsWithKept,
} from './stores.ts'
export { sendKept, transferState } from './transfer.ts'
export { componentOf, type StateScene } from './scene.ts'
export { isComponentSelected, isSelected, selectsAll, type StateSelection } from './selection.ts'
export { snapshotTasks, type MoveTerms } from './snapshot-tasks.ts'
export { stateError } from './state-error.ts'
export { runTasks, type TaskTerms } from './run-tasks.ts'
export { renderTasks, type StateTask } from './task.ts'
export { beginningOf } from './wanted-snapshot.ts'
export { recordsByState, RESTORES_FIRST } from './active-records.ts'
export { type Arrival, chooseRestorations } from './choose-restorations.ts'
export { reportDamage } from './damage.ts'
export { deleteTasks } from './delete-tasks.ts'
export type { Departure } from './taken-over.ts'
export { type Restoration, restoreTasks } from './restore-tasks.ts'
export { parseWanted } from './wanted-snapshot.ts'
export { storesOf } from './scene.ts'
export { requireContainers } from './verify-step.ts'
