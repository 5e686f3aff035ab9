export { type Drift, driftText, isDrifted, type TargetDrift, targetDriftText } from './drift.ts'
export type { Inventory, TargetInventory } from './target-inventory.ts'
export type { Instance } from './instance.ts'
export { type InventoryTerms, takeInventory } from './take-inventory.ts'
