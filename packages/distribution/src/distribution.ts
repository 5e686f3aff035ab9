export { type DistributionOptions, type DistributionOutcome, distribute, distributionError } from './distribute.ts'
