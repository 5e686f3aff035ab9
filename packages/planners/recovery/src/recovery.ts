export type { RecordedService, TargetAccount, TargetProfile } from './account.ts'
export { type Contradiction, contradictionText } from './contradiction.ts'
export {
  type InstalledServices,
  modelsOf,
  type Place,
  type RecoveredModels,
  type RecoveredService,
} from './models-of.ts'
export { type Preference, reconstruct, type Reconstruction, type ReconstructionTerms } from './reconstruct.ts'
export { targetsBeyond, type Told, type ToldTarget, type Wanted, wantedRun } from './wanted.ts'
