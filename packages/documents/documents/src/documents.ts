export {
  Architecture,
  architecture,
  type InstantiatedPackage,
  instantiatedPackage,
  type NormalizedDependency,
  normalizedDependency,
  type NormalizedService,
  normalizedService,
  type Placement,
  placement,
} from './architecture.ts'
export {
  CLIENT_INTERFACES,
  clientInterfaceFor,
  type ClientInterfaceKind,
  clientInterfaceProblem,
  isClientExecutable,
} from './client-interface.ts'
export {
  type BuildInterface,
  buildInterface,
  BuildModel,
  buildModel,
  type DerivationMapping,
  derivationMapping,
} from './build-model.ts'
export { type CompiledService, CompiledStack } from './compiled-stack.ts'
export { DeploymentModel, deploymentModel } from './deployment-model.ts'
export { emptyDocument, encodeDocument, locateDocument, parseDocument, validateDocument } from './document.ts'
export { type ActivationMapping, FirstManifest, type FirstSnapshotMapping } from './first-manifest.ts'
export type { Format } from './format.ts'
export {
  type ContainerName,
  containerName,
  moduleName,
  type ProfileName,
  profileName,
  type ServiceKey,
  serviceKey,
  type ServiceName,
  serviceName,
  storeDirectory,
  type StorePath,
  storePath,
  parseStorePath,
  type System,
  system,
  type TargetName,
  targetName,
} from './ids.ts'
export {
  Infrastructure,
  infrastructure,
  InfrastructureModel,
  PartialInfrastructure,
  partialInfrastructure,
  type PartialTarget,
  partialTarget,
  type Target,
  target,
} from './infrastructure.ts'
export { InventoryDocument } from './inventory.ts'
export { MadeFrom, madeFrom, type ModelFile, type PlannedStep, type ToldMessage } from './made-from.ts'
export { Manifest, manifest } from './manifest.ts'
export { type ManifestService, manifestService } from './manifest-service.ts'
export {
  type Mapping,
  mapping,
  type MappingId,
  mappingIdOf,
  type ServiceMapping,
  serviceMapping,
  type SnapshotMapping,
  snapshotMapping,
} from './mapping.ts'
export { type NamedMapping, parseNamedMappings } from './named-mapping.ts'
export type { BuildSpec, ExpressionProgram, ExpressionSpec, PackageRequest, PackageSpec } from './package-spec.ts'
export { parseProfileName } from './parse-profile-name.ts'
export { PlanDocument, type PlanDocumentTerms, type PlannedTransfer, type PlanStep } from './plan.ts'
export { ProfileManifest, ProfileManifestTargets } from './profile-manifest.ts'
export {
  isSecret,
  renderSecret,
  type SecretReference,
  secretProperty,
  type SecretProperty,
  type SecretText,
  secretTextOf,
  withSecretPaths,
} from './secret.ts'
export { parseWholeDocument, validateWholeDocument } from './whole-document.ts'
export { secretProblems } from './checks/check-secrets.ts'
export { propertyText } from './property-text.ts'
export { type Properties, properties, type PropertyValue, propertyValue } from './property.ts'
export { table } from './quick-schemas.ts'
export { statedDocument, statedInJson } from './stated-document.ts'
export { headOfXml } from './xml/head-of-xml.ts'
export { componentIn, storeOf, type StoreReference, storeReference } from './store-reference.ts'
