import * as v from 'valibot'
import { checkArchitecture } from './checks/check-architecture.ts'
import type { Format } from './format.ts'
import { containerName, moduleName, serviceName, storePath, system, targetName } from './ids.ts'
import { infrastructure } from './infrastructure.ts'
import { properties, propertyValue, text } from './property.ts'
import { list, table } from './quick-schemas.ts'
import { storeReference } from './store-reference.ts'

/** An instantiated package: a source, which is in the store already, or the output of a derivation that has yet to be realised. */
export const instantiatedPackage = v.object({
  outPath: storePath,
  derivation: v.exactOptional(storePath),
})
export type InstantiatedPackage = v.InferOutput<typeof instantiatedPackage>

/** A target and container in which a service is placed. */
export const placement = v.object({
  target: targetName,
  container: containerName,
  /** Service that provides the container on that target. */
  containerProvidedByService: v.exactOptional(serviceName),
})
export type Placement = v.InferOutput<typeof placement>

export const normalizedDependency = v.object({
  service: serviceName,
  targets: list(placement),
})
export type NormalizedDependency = v.InferOutput<typeof normalizedDependency>

const dependencies = table(text, normalizedDependency)

export const normalizedService = v.object({
  name: serviceName,
  type: moduleName,
  deployState: v.boolean(),
  dependsOn: dependencies,
  connectsTo: dependencies,
  activatesAfter: dependencies,
  providesContainers: table(containerName, properties),
  targets: list(placement),
  /** One package for each system of the targets. */
  packages: table(system, instantiatedPackage),
  /** Other attributes of the service in the model, visible to its dependants. */
  attributes: table(text, propertyValue),
})
export type NormalizedService = v.InferOutput<typeof normalizedService>

/** The normalized architecture: data only, packages instantiated, nothing built. */
export const architecture = v.object({
  store: storeReference,
  services: table(serviceName, normalizedService),
  infrastructure,
  /** Packages of the packages model; packages of services are found by their mappings. */
  targetPackages: table(targetName, list(instantiatedPackage)),
})
export type Architecture = v.InferOutput<typeof architecture>

export const Architecture: Format<Architecture> = {
  name: 'architecture',
  title: 'an architecture',
  version: 1,
  header: 'required',
  schema: architecture,
  check: checkArchitecture,
}
