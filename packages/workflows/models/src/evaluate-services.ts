import type { Diagnostic } from '@davit/diagnostics'
import type { ServiceName, System } from '@davit/documents'
import type { ServiceModel } from '@davit/normalization'
import { type Model, runModel } from './reading/model.ts'
import type { Part } from './reading/part.ts'
import { packageModel } from './reading/package-model.ts'
import type { NameTarget } from './reading/read-placements.ts'
import {
  type PackageReader,
  readServicePackages,
  refuseMisplacedAttribute,
  readServices,
  withPackages,
} from './reading/read-services.ts'
import { serviceNamesOf } from './reading/service-names.ts'

export interface ServicesOfSystems {
  readonly model: Model
  /** The table of services as the model says it for each system; the first tells everything but the packages. */
  readonly parts: ReadonlyMap<System, Part>
  nameTargetFor(system: System): NameTarget
  readonly problems: readonly Diagnostic[]
}

export function servicesOf({ model, parts, nameTargetFor }: ServicesOfSystems): ReadonlyMap<ServiceName, ServiceModel> {
  return runModel(model, () => {
    const reader: PackageReader = {
      readPackage: (pkg, name) => packageModel(pkg, name, model),
      hint: `say what it consists of: ${model.language === 'nix' ? 'a derivation, or a function of its dependencies that gives one' : '{ source: PATH } or { build: ... }'}`,
    }
    const [first] = parts
    if (first === undefined || refuseMisplacedAttribute(first[1])) return new Map()
    const packages = new Map([...parts].map(([system, part]) => [system, readServicePackages(part, reader)]))
    const [system, part] = first
    const names = { services: serviceNamesOf(part.value), nameTarget: nameTargetFor(system) }
    const services = readServices(part, names)
    return new Map([...services].map(([name, service]) => [name, withPackages(name, service, packages)]))
  })
}
