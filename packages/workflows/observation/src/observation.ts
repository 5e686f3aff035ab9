export {
  type Deployed,
  deployedBy,
  type DeployedMapping,
  type Neighbour,
  type OriginalNeighbour,
  type ObservationTerms,
  observeDeployment,
} from './deployed.ts'
export { type Difference, differencesOf } from './differences.ts'
export { doubtsIn, type DoubtTerms, statusesOf } from './doubts.ts'
export { findDeployed, type Found, type FoundService } from './found.ts'
export { settledObservation, type SettlingTerms } from './settled.ts'
export { observedIn } from './observed-in.ts'
