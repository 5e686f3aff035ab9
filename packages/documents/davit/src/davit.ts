export { type Attributes, type Data, type Float, float } from './data.ts'
export {
  type Architecture,
  defineArchitecture,
  defineBuildModel,
  defineDeploymentModel,
  defineDistribution,
  defineInfrastructure,
  definePackages,
  defineService,
  defineServices,
  type DistributionContext,
  type ExtraParameters,
  type MachinesOf,
  type Model,
  type Packages,
  type ServicesContext,
  type SystemContext,
} from './define.ts'
export type {
  BuildModel,
  DeployedService,
  DeploymentModel,
  Mapping,
  ServiceMapping,
  SnapshotMapping,
} from './deployment.ts'
export type { Distribution, Placement, Placements, TargetChoice, TargetReference } from './distribution.ts'
export type { ClientInterface, Infrastructure, Target } from './infrastructure.ts'
export {
  type Build,
  build,
  type BuildPackage,
  type Package,
  packagesIn,
  source,
  type SourcePackage,
  type StoredPackage,
} from './package.ts'
export { type Secret, secret, type SecretSource } from './secret.ts'
export type {
  Dependencies,
  Dependency,
  DependencyTarget,
  InterDependency,
  PackageFunction,
  Service,
  ServiceAttributes,
  ServiceReference,
  Services,
} from './services.ts'
