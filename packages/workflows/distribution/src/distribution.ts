export {
  type DistributionOptions,
  type DistributionOutcome,
  distribute,
  distributionError,
  distributionInterrupted,
} from './distribute.ts'
