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
  /** Table of services for each system; everything except the packages is read from the first. */
  readonly parts: ReadonlyMap<System, Part>
  nameTargetFor(system: System): NameTarget
  readonly problems: readonly Diagnostic[]
}

export function servicesOf({ model, parts, nameTargetFor }: ServicesOfSystems): ReadonlyMap<ServiceName, ServiceModel> {
  return runModel(model, () => {
    const reader: PackageReader = {
      readPackage: (pkg, name) => packageModel(pkg, name, model),
      hint: `add its package: ${model.language === 'nix' ? 'a derivation, or a function of its dependencies that returns one' : '{ source: PATH } or { build: ... }'}`,
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
