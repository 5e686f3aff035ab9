import type { Attributes, Data } from './data.ts'
import type { BuildModel, DeploymentModel } from './deployment.ts'
import type { Distribution, TargetReference } from './distribution.ts'
import type { Infrastructure } from './infrastructure.ts'
import type { Package } from './package.ts'
import type {
  Dependencies,
  PackageFunction,
  ParametersOfServices,
  Service,
  ServiceAttributes,
  ServiceReference,
  Services,
} from './services.ts'

/** The extra parameters of `--extra-params`, which the function of every model gets too. */
export type ExtraParameters = Attributes

/** Argument of the function of a services model. */
export interface ServicesContext extends ExtraParameters {
  /** System that packages are built for; the model is evaluated once for each system of the infrastructure. */
  readonly system: string
  /** The distribution model: service name → placements. */
  readonly distribution: Distribution
  /** The infrastructure, each target with the `services` that the distribution places there. */
  readonly invDistribution: {
    readonly [target: string]: TargetReference & { readonly services: { readonly [service: string]: ServiceReference } }
  }
}

/** Argument of the function of a distribution model. */
export interface DistributionContext<
  Machines = { readonly [target: string]: TargetReference },
> extends ExtraParameters {
  readonly infrastructure: Machines
}

/** Argument of the function of a packages model or an architecture model. */
export interface SystemContext extends ExtraParameters {
  readonly system: string
}

/** Target name → packages that are installed there. */
export interface Packages {
  readonly [target: string]: readonly Package[]
}

/** Everything in one model; services are placed by their `targets`, and services without are left out. */
export interface Architecture<Parameters extends ParametersOfServices = ParametersOfServices> {
  readonly services: Services<Parameters>
  readonly infrastructure: Infrastructure
  readonly targetPackages?: Packages
}

/** A model, or a function that returns it. */
export type Model<Context, Value> = Value | ((context: Context) => Value)

/**
 * Defines the services model: a table of services, or a function that returns one.
 *
 * ```ts
 * export default defineServices(({ system }) => ({
 *   database: { type: 'process', pkg: source('./database') },
 *   web: defineService({
 *     type: 'process',
 *     dependsOn: ['database'],
 *     pkg: ({ database }) =>
 *       build({ script: 'cp -r $app $out', sources: { app: './web' }, env: { HOST: database.target.properties.hostname } }),
 *   }),
 * }))
 * ```
 */
export function defineServices<const Parameters extends ParametersOfServices, Extra = unknown>(
  model: Model<ServicesContext & Extra, Services<Parameters>>,
): Model<ServicesContext & Extra, Services<Parameters>> {
  return model
}

/**
 * Defines one service: for a model that names its services before it returns them, and for a model that is a function,
 * so that `pkg` knows its parameters by name.
 */
export function defineService<const Depended extends string = never, const Connected extends string = never>(
  service: ServiceAttributes & {
    readonly pkg: Package | PackageFunction<Depended | Connected>
    readonly dependsOn?: Dependencies<Depended>
    readonly connectsTo?: Dependencies<Connected>
  },
): Service {
  return service
}

/**
 * Defines the infrastructure model: a table of targets, or a function of the extra parameters that returns one. The type
 * keeps the names of the targets, so that editors can complete them.
 */
export function defineInfrastructure<
  const Machines extends Infrastructure | ((parameters: Data) => Infrastructure | Promise<Infrastructure>),
>(model: Machines): Machines {
  return model
}

/**
 * Defines the distribution model: a table of placements, or a function of the infrastructure that returns one. Given the
 * type of the infrastructure model, only its targets are accepted:
 *
 * ```ts
 * import type infrastructure from './infrastructure.ts'
 *
 * export default defineDistribution<typeof infrastructure>(({ infrastructure }) => ({ web: [infrastructure.web1] }))
 * ```
 */
export function defineDistribution<Machines = { readonly [target: string]: TargetReference }, Extra = unknown>(
  model: Model<DistributionContext<MachinesOf<Machines>> & Extra, Distribution<NamesOf<Machines>>>,
): Model<DistributionContext<MachinesOf<Machines>> & Extra, Distribution<NamesOf<Machines>>> {
  return model
}

/** The targets of an infrastructure model, which may be a function. */
export type MachinesOf<Model> = Model extends (parameters: never) => infer Machines ? Awaited<Machines> : Model

type NamesOf<Model> = Extract<keyof MachinesOf<Model>, string>

/** Defines the packages model: packages that are installed on targets in addition to the services. */
export function definePackages<Extra = unknown>(
  model: Model<SystemContext & Extra, Packages>,
): Model<SystemContext & Extra, Packages> {
  return model
}

/** Defines the architecture model: services, infrastructure and placements in one. */
export function defineArchitecture<const Parameters extends ParametersOfServices, Extra = unknown>(
  model: Model<SystemContext & Extra, Architecture<Parameters>>,
): Model<SystemContext & Extra, Architecture<Parameters>> {
  return model
}

/** Defines the deployment model: a manifest, or a function that returns one. */
export function defineDeploymentModel<Extra = unknown>(
  model: Model<ExtraParameters & Extra, DeploymentModel>,
): Model<ExtraParameters & Extra, DeploymentModel> {
  return model
}

/** Defines the build model, or a function that returns one. */
export function defineBuildModel<Extra = unknown>(
  model: Model<ExtraParameters & Extra, BuildModel>,
): Model<ExtraParameters & Extra, BuildModel> {
  return model
}
