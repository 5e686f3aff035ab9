import { quoted } from '@davit/diagnostics'
import { containerName, type PropertyValue, type ServiceName, serviceName, type System } from '@davit/documents'
import type { PackageModel, ServiceModel } from '@davit/normalization'
import { attributesOf, type Reader } from './attributes.ts'
import { UNREAD } from './unread.ts'
import { booleanOf, membersOf, nameOf, type Part, refuseMisplaced, suspicion, textOf } from './part.ts'
import { present } from './present.ts'
import { type Dependencies, type Names, readDependencies } from './read-dependencies.ts'
import { readContainers } from './read-infrastructure.ts'
import { readPlacements } from './read-placements.ts'
import { readProperty, withAbsolutePaths } from './read-properties.ts'

/** A service model without its packages. */
export type ServiceWithoutPackages = Omit<ServiceModel, 'packageFor'>

export function readServices(part: Part, names: Names): ReadonlyMap<ServiceName, ServiceWithoutPackages> {
  const services = new Map<ServiceName, ServiceWithoutPackages>()
  const suspectOthers = suspicion([...OWN_ATTRIBUTES], 'davit in a service')
  for (const [key, member] of membersOf(part, 'a table of services')) {
    const name = nameOf(serviceName, key, member)
    const service = readService(member, { key, names, suspectOthers })
    if (name !== undefined) services.set(name, service)
  }
  return services
}

export interface PackageReader {
  /** Reads the attribute `pkg`. */
  readPackage(part: Part, service: string): PackageModel | undefined
  /** Hint for a service without `pkg`. */
  readonly hint: string
}

/** Reads the package of each service. */
export function readServicePackages(
  part: Part,
  { readPackage, hint }: PackageReader,
): ReadonlyMap<string, PackageModel> {
  const packages = new Map<string, PackageModel>()
  for (const [name, member] of membersOf(part, 'a table of services')) {
    const { demand, members } = attributesOf(member, 'a service')
    const stray = ['source', 'build'].find((attribute) => members.has(attribute))
    const model = demand('pkg', (pkg) => readPackage(pkg, name), {
      message: `service ${quoted(name)} has no 'pkg'`,
      hint: stray === undefined ? hint : `put '${stray}' into 'pkg': pkg: { ${stray}: ... }`,
    })
    if (model !== undefined) packages.set(name, model)
  }
  return packages
}

export type PackagesBySystem = ReadonlyMap<System, ReadonlyMap<string, PackageModel>>

export function withPackages(name: string, service: ServiceWithoutPackages, packages: PackagesBySystem): ServiceModel {
  return {
    ...service,
    packageFor(system) {
      const model = packages.get(system)?.get(name)
      if (model === undefined) throw new Error(`service '${name}' has no package for system '${system}'`)
      return model
    },
  }
}

/** Refuses an attribute in place of a service's name, instead of the errors that follow from it. */
export function refuseMisplacedAttribute(part: Part): boolean {
  const attributes = [...OWN_ATTRIBUTES].filter((name) => name !== 'name')
  return refuseMisplaced(part, { attributes, what: 'a service', needed: ['type', 'pkg'] })
}

const OWN_ATTRIBUTES = new Set([
  'name',
  'pkg',
  'type',
  'deployState',
  'dependsOn',
  'connectsTo',
  'activatesAfter',
  'providesContainer',
  'providesContainers',
  'targets',
])

interface ServiceContext {
  readonly key: string
  readonly names: Names
  readonly suspectOthers: ReturnType<typeof suspicion>
}

function readService(part: Part, { key, names, suspectOthers }: ServiceContext): ServiceWithoutPackages {
  const { demand, members, read, table } = attributesOf(part, 'a service')
  suspectOthers(members)
  const dependencies: Reader<Dependencies> = (member) => readDependencies(member, names)
  const noType = {
    message: `service ${quoted(key)} has no 'type'`,
    hint: "name the module that activates it, such as 'process'",
  }
  return present({
    name: read('name', (member) => textOf(member, 'a name')) ?? key,
    type: demand('type', (member) => textOf(member, 'the name of a module'), noType) ?? '',
    deployState: read('deployState', (member) => booleanOf(member, "'deployState'")),
    dependsOn: table('dependsOn', dependencies),
    connectsTo: table('connectsTo', dependencies),
    activatesAfter: table('activatesAfter', dependencies),
    providesContainer: read('providesContainer', (member) => nameOf(containerName, member.value, member)),
    providesContainers: read('providesContainers', readContainers),
    targets: read('targets', (member) => readPlacements(member, names.nameTarget)),
    attributes: readAttributes(members, part),
  })
}

/** With `providesContainer`, they are also the properties of a container. */
function readAttributes(members: ReadonlyMap<string, Part>, service: Part): ServiceModel['attributes'] {
  const attributes = new Map<string, PropertyValue>()
  const use = members.has('providesContainer') ? 'module' : 'any'
  for (const [name, member] of members) {
    const isFree = !OWN_ATTRIBUTES.has(name) && member.value !== UNREAD
    const value = isFree ? readProperty(member, use) : undefined
    if (value !== undefined) attributes.set(name, value)
  }
  return members.has('providesContainer') ? withAbsolutePaths(attributes, service) : attributes
}
