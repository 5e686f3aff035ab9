export { copyClosure } from './copy-closure.ts'
export { alteredPaths, distribute, distributionError, distributionInterrupted } from './distribute.ts'
export { planTransfers, type TransferQuestion } from './plan-transfers.ts'
