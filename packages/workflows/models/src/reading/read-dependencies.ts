import { quoted } from '@davit/diagnostics'
import type { DependencyModel } from '@davit/normalization'
import {
  described,
  entriesOf,
  isObject,
  itemsOf,
  memberOf,
  membersOf,
  type Part,
  refuse,
  refuseOthers,
  textIn,
} from './part.ts'
import { type NameTarget, readPlacements } from './read-placements.ts'
import type { ServiceNames } from './service-names.ts'

export interface Names {
  readonly services: ServiceNames
  readonly nameTarget: NameTarget
}

export type Dependencies = ReadonlyMap<string, DependencyModel>

/** Reads dependencies, a list of services or a table, into a map of parameter → service. */
export function readDependencies(part: Part, names: Names): Dependencies {
  return Array.isArray(part.value) ? readList(part, names) : readTable(part, names)
}

function readList(part: Part, names: Names): Dependencies {
  const dependencies = new Map<string, DependencyModel>()
  for (const item of itemsOf(part, 'a list of services')) {
    const dependency = readDependency(item, names)
    if (dependency === undefined) continue
    if (dependencies.has(dependency.service))
      refuse(item, `service ${quoted(dependency.service)} is in this list twice`)
    dependencies.set(dependency.service, dependency)
  }
  return dependencies
}

function readTable(part: Part, names: Names): Dependencies {
  const dependencies = new Map<string, DependencyModel>()
  const { value } = part
  if (typeof value === 'string') {
    refuse(
      part,
      `expected a list of services, but got ${described(value)}`,
      'write a list in brackets, even for a single element',
    )
    return dependencies
  }
  for (const [parameter, member] of membersOf(part, 'a list of services, or a table of them')) {
    const dependency = readDependency(member, names)
    if (dependency !== undefined) dependencies.set(parameter, dependency)
  }
  return dependencies
}

function readDependency(part: Part, names: Names): DependencyModel | undefined {
  const { value } = part
  if (isReferenceRecord(value)) return readReferenceRecord(part, names)
  const service = names.services.nameOf(textIn(part) ?? value)
  if (service === undefined) return refuseUnknown(part)
  const restricts = isObject(value) && !names.services.isWhole(value) && memberOf(value, 'targets') !== undefined
  if (!restricts) return { service }
  return { service, targets: readTargets(part, membersOf(part, 'a service'), names) }
}

/** Recognises `{ service, targets }`, as opposed to a service with an attribute `service`. */
function isReferenceRecord(value: unknown): boolean {
  return memberOf(value, 'service') !== undefined && memberOf(value, 'type') === undefined
}

function readReferenceRecord(part: Part, names: Names): DependencyModel | undefined {
  const members = membersOf(part, 'a dependency')
  refuseOthers(members, ['service', 'targets'], 'a dependency')
  const reference = members.get('service')
  const service = names.services.nameOf(reference && (textIn(reference) ?? reference.value))
  if (service === undefined) return refuseUnknown(reference ?? part)
  return members.has('targets') ? { service, targets: readTargets(part, members, names) } : { service }
}

function readTargets(part: Part, members: ReadonlyMap<string, Part>, { nameTarget }: Names) {
  return readPlacements(members.get('targets') ?? part, nameTarget)
}

function refuseUnknown(part: Part): undefined {
  if (entriesOf(part.value) === undefined) {
    return refuse(part, `expected a service, but got ${described(part.value)}`, 'write the name of a service')
  }
  const hint = "write the service's name, or { service: NAME, targets: [...] }"
  return refuse(part, 'expected a service, but got one that is not in this model', hint)
}
