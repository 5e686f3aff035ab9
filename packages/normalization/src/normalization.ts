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
export { manifestOf } from './manifest-of.ts'
export { normalizeModel, type Normalized, undeploymentOf } from './normalize-model.ts'
export type { NormalizationOptions } from './normalization-options.ts'
export { serviceKeyOf, type ServiceIdentity } from './service-key.ts'
