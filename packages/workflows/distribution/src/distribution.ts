export { distribute, distributionError, distributionInterrupted } from './distribute.ts'
