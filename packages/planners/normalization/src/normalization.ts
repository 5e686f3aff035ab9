export type {
  ArchitectureModel,
  DependencyModel,
  ModelPlace,
  PackageModel,
  PlacementModel,
  ServiceModel,
  TargetModel,
} from './architecture-model.ts'
export { architectureOf } from './architecture-of.ts'
export { nearestPlace } from './findings.ts'
export { problemsOfContainer, problemsOfProperties } from './check-properties.ts'
export { isGuard, tableGuard } from './guards.ts'
export { manifestOf } from './manifest-of.ts'
export { placedNowhere } from './messages.ts'
export { normalizeModel } from './normalize-model.ts'
export type { NormalizationOptions } from './normalization-options.ts'
export { ParameterError } from './parameter-error.ts'
