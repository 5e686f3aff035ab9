export {
  commonCompressor,
  findKept,
  type KeptSnapshot,
  keptStore,
  type StateMachines,
  storeOf,
  targetsWithKept,
} from './stores.ts'
export { sendKept, transferState, type TransferredState } from './transfer.ts'
