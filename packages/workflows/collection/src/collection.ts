export { collectEverywhere } from './collect-everywhere.ts'
export { oldGenerations } from './old-generations.ts'
