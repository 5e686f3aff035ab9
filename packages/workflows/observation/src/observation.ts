export {
  type Deployed,
  deployedBy,
  type DeployedMapping,
  type Neighbour,
  type OriginalNeighbour,
  type ObservationTerms,
  observeDeployment,
} from './deployed.ts'
export { findDeployed, type Found, type FoundService } from './found.ts'
export { settledObservation, type SettlingTerms } from './settled.ts'
