export { addGeneration, currentGeneration, type Generation, generationNumbers } from './generations.ts'
export { type CoordinatorPlace, placeOf } from './place.ts'
