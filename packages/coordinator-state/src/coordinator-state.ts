export {
  addGeneration,
  type AddedGeneration,
  currentGeneration,
  type Generation,
  generationNumbers,
} from './generations.ts'
export { type DeploymentPlace, deploymentPlace } from './place.ts'
