export { type Collection, collectEverywhere } from './collect-everywhere.ts'
export { type OldGenerations, oldGenerations } from './old-generations.ts'
