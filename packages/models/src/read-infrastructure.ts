import {
  containerName,
  type ContainerName,
  type Properties,
  system,
  type TargetName,
  targetName,
} from '@davit/documents'
import type { ArchitectureModel, TargetModel } from '@davit/normalization'
import { attributesOf } from './attributes.ts'
import { described, membersOf, nameOf, type Part, refuse, suspectOthers, textOf } from './part.ts'
import { present } from './present.ts'
import { readProperties } from './read-properties.ts'

export function readInfrastructure(part: Part): ArchitectureModel['infrastructure'] {
  const targets = new Map<TargetName, TargetModel>()
  for (const [key, member] of membersOf(part, 'a table of targets')) {
    const name = nameOf(targetName, key, member)
    const target = readTarget(member)
    if (name !== undefined) targets.set(name, target)
  }
  return targets
}

const ATTRIBUTES = ['properties', 'containers', 'system', 'numOfCores', 'clientInterface', 'targetProperty']

function readTarget(part: Part): TargetModel {
  const { members, read, table } = attributesOf(part, 'a target')
  suspectOthers(members, ATTRIBUTES, 'davit in a target')
  return present({
    properties: table('properties', (member) => readProperties(member, 'a table of properties')),
    containers: table('containers', readContainers),
    system: read('system', (member) => nameOf(system, member.value, member)),
    numOfCores: read('numOfCores', readNumOfCores),
    clientInterface: read('clientInterface', (member) => textOf(member, 'the name or path of a client interface')),
    targetProperty: read('targetProperty', (member) => textOf(member, 'the name of a property')),
  })
}

export function readContainers(part: Part): ReadonlyMap<ContainerName, Properties> {
  const containers = new Map<ContainerName, Properties>()
  for (const [key, member] of membersOf(part, 'a table of containers')) {
    const name = nameOf(containerName, key, member)
    const properties = readProperties(member, 'a table of properties')
    if (name !== undefined) containers.set(name, properties)
  }
  return containers
}

function readNumOfCores(part: Part): number | undefined {
  const { value } = part
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value
  return refuse(part, `expected a number of cores (1, 2, ...), but got ${described(value)}`)
}
