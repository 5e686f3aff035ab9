import type { Attributes, Data } from './data.ts'
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

/** Every function of a model gets the extra parameters of `--extra-params` as well. */
export type ExtraParameters = Attributes

/** What the function of a services model gets. */
export interface ServicesContext extends ExtraParameters {
  /** Platform that packages are for; the model is evaluated once for each platform of the infrastructure. */
  readonly system: string
  /** The distribution model: service name → where it is placed. */
  readonly distribution: Distribution
  /** The infrastructure, each target with the `services` that the distribution places there. */
  readonly invDistribution: {
    readonly [target: string]: TargetReference & { readonly services: { readonly [service: string]: ServiceReference } }
  }
}

/** What the function of a distribution model gets. */
export interface DistributionContext<
  Machines = { readonly [target: string]: TargetReference },
> extends ExtraParameters {
  readonly infrastructure: Machines
}

/** What the functions of a packages model and of an architecture model get. */
export interface SystemContext extends ExtraParameters {
  readonly system: string
}

/** Target name → packages that are installed there. */
export interface Packages {
  readonly [target: string]: readonly Package[]
}

/** Everything in one model; services are placed by their `targets`, and those without are left out. */
export interface Architecture<Parameters extends ParametersOfServices = ParametersOfServices> {
  readonly services: Services<Parameters>
  readonly infrastructure: Infrastructure
  readonly targetPackages?: Packages
}

/** A model as it is, or a function that returns it. */
export type Model<Context, Value> = Value | ((context: Context) => Value)

/**
 * What is deployed: a table of services, or a function that returns one.
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
 * One service on its own: for a model that names its services before it returns them, and for a `pkg` whose
 * parameters are to be known by name inside a function model.
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
 * Where things can be deployed: a table of targets, or a function of the extra parameters that returns one. Its
 * targets stay known by name, in editors as well.
 */
export function defineInfrastructure<
  const Machines extends Infrastructure | ((parameters: Data) => Infrastructure | Promise<Infrastructure>),
>(model: Machines): Machines {
  return model
}

/**
 * Which services are placed where: a table, or a function of the infrastructure that returns one. With the type of the
 * infrastructure model only its targets exist:
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

/** Packages that are installed on targets beside the services. */
export function definePackages<Extra = unknown>(
  model: Model<SystemContext & Extra, Packages>,
): Model<SystemContext & Extra, Packages> {
  return model
}

/** Services, infrastructure and placement in one model. */
export function defineArchitecture<const Parameters extends ParametersOfServices, Extra = unknown>(
  model: Model<SystemContext & Extra, Architecture<Parameters>>,
): Model<SystemContext & Extra, Architecture<Parameters>> {
  return model
}
