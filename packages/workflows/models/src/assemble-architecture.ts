import type { Path } from '@davit/diagnostics'
import type { ServiceName } from '@davit/documents'
import type { ArchitectureModel, ModelPlace, ServiceModel } from '@davit/normalization'
import { dependencySteps } from './reading/dependency-places.ts'
import { type Distribution, distributionForFunctions, readDistribution } from './reading/distribution.ts'
import { servicesOf } from './evaluate-services.ts'
import { inverseDistribution } from './inverse-distribution.ts'
import type { AssemblyOptions } from './assembly-options.ts'
import { evaluateModel, type Model, runModel } from './reading/model.ts'
import { memberOf } from './reading/part.ts'
import { tableOf } from './reading/plain.ts'
import { rootOf } from './reading/problems.ts'
import type { ByRole } from './reading/roles.ts'
import { readInfrastructure } from './reading/read-infrastructure.ts'
import { forEachSystem, systemOfTarget, systemsOf } from './reading/systems.ts'
import { packagesForTargets, readTargetPackages, type TargetPackages } from './reading/target-packages.ts'
import { targetGuard, type TargetNames, targetNamesOf } from './reading/target-names.ts'

/** The separate models that make up an architecture. */
export interface SeparateModels extends Omit<ByRole<Model>, 'architecture'> {
  readonly infrastructure: Model
}

interface Assembly extends AssemblyOptions {
  readonly infrastructure: ArchitectureModel['infrastructure']
  readonly names: TargetNames
  /** Raw value of the infrastructure model. */
  readonly targets: unknown
}

export async function assembleArchitecture(
  models: SeparateModels,
  options: AssemblyOptions,
): Promise<ArchitectureModel> {
  const { infrastructure: model } = models
  const raw = await evaluateModel(model, { kind: 'infrastructure', context: options.contextFor('infrastructure', {}) })
  options.tellTargets?.(raw)
  const root = rootOf(model, raw, { prefix: ['infrastructure'], problems: options.problems })
  const infrastructure = runModel(model, () => readInfrastructure(root))
  const assembly = { ...options, infrastructure, names: targetNamesOf(raw), targets: raw }
  const distribution = await distributionOf(models.distribution, assembly)
  const { services, raw: said } = await servicesFor(models.services, distribution, assembly)
  return {
    services: withDistribution(services, distribution.placements),
    infrastructure,
    targetPackages: await targetPackagesOf(models.packages, assembly),
    distributedServices: [...distribution.placements.keys()],
    placeOf: placesOf(models, {
      services: said,
      distributed(name) {
        const isPlacedByItself = services.get(name as ServiceName)?.targets !== undefined
        return isPlacedByItself ? undefined : memberOf(distribution.raw, name)
      },
    }),
  }
}

interface EvaluatedDistribution {
  readonly raw: unknown
  readonly placements: Distribution
}

async function distributionOf(model: Model | undefined, assembly: Assembly): Promise<EvaluatedDistribution> {
  if (model === undefined) return { raw: {}, placements: new Map() }
  const { names, problems, contextFor, targets } = assembly
  const context = contextFor('distribution', { infrastructure: tableOf(names.targets, targetGuard()) })
  const raw = await evaluateModel(model, { kind: 'distribution', context, known: { infrastructure: targets } })
  const root = rootOf(model, raw, { prefix: ['distribution'], problems })
  return { raw, placements: runModel(model, () => readDistribution(root, names)) }
}

interface EvaluatedServices {
  /** Raw value of the services model. */
  readonly raw: unknown
  readonly services: ArchitectureModel['services']
}

async function servicesFor(
  model: Model | undefined,
  { raw, placements }: EvaluatedDistribution,
  { system: coordinator, contextFor, infrastructure, names, problems, targets }: Assembly,
): Promise<EvaluatedServices> {
  if (model === undefined) return { raw: {}, services: new Map() }
  const distribution = distributionForFunctions(raw, names)
  const parts = await forEachSystem(systemsOf(infrastructure, coordinator), {
    isFunction: typeof model.value === 'function',
    async evaluate(system) {
      const inverse = inverseDistribution(placements, names)
      const context = contextFor('services', { system, distribution, invDistribution: inverse.targets })
      const known = { infrastructure: targets, distribution: placements }
      const services = await evaluateModel(model, { kind: 'services', context, known })
      inverse.complete(services)
      return rootOf(model, services, { prefix: ['services'], problems })
    },
  })
  const [first] = parts.values()
  return { raw: first?.value, services: servicesOf({ model, parts, nameTargetFor: () => names.nameOf, problems }) }
}

/** Adds the placements of the distribution; `targets` of a service override them. */
function withDistribution(
  services: ReadonlyMap<ServiceName, ServiceModel>,
  placements: Distribution,
): ReadonlyMap<ServiceName, ServiceModel> {
  return new Map(
    [...services].map(([name, service]) => {
      const targets = service.targets ?? placements.get(name)
      return [name, targets === undefined ? service : { ...service, targets }]
    }),
  )
}

async function targetPackagesOf(
  model: Model | undefined,
  { system: coordinator, contextFor, infrastructure, problems, targets }: Assembly,
): Promise<TargetPackages> {
  if (model === undefined) return new Map()
  const packages = await forEachSystem(systemsOf(infrastructure, coordinator), {
    isFunction: typeof model.value === 'function',
    async evaluate(system) {
      const context = contextFor('packages', { system })
      const raw = await evaluateModel(model, { kind: 'packages', context, known: { infrastructure: targets } })
      const root = rootOf(model, raw, { prefix: ['targetPackages'], problems })
      return runModel(model, () => readTargetPackages(root, model))
    },
  })
  return packagesForTargets(packages, systemOfTarget(infrastructure, coordinator))
}

/** Finds places in the models: placements that are not in the services model are in the distribution. */
function placesOf(models: SeparateModels, { services, distributed }: Said): (path: Path) => ModelPlace | undefined {
  const roots = new Map<unknown, Model | undefined>([...Object.entries(models), ['targetPackages', models.packages]])
  return (path) => {
    const [root = '', service, attribute] = path
    const placements = root === 'services' && attribute === 'targets' ? distributed(String(service)) : undefined
    if (placements === undefined) {
      const steps = root === 'services' ? dependencySteps(services, path.slice(1)) : path.slice(1)
      return placeIn(roots.get(root), root, steps)
    }
    const steps = Array.isArray(placements) ? path.slice(3) : path.slice(2)
    return placeIn(models.distribution, 'distribution', [String(service), ...steps])
  }
}

interface Said {
  readonly services: unknown
  /** Returns the distribution's value for a service that has no `targets` of its own. */
  distributed(service: string): unknown
}

function placeIn(model: Model | undefined, root: string | number, steps: Path): ModelPlace | undefined {
  return model && { ...model.placeOf(steps), path: [root, ...steps] }
}
