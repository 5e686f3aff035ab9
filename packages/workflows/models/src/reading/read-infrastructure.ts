import { resolve } from 'node:path'

import {
  clientInterfaceProblem,
  containerName,
  type ContainerName,
  type Properties,
  system,
  type TargetName,
  targetName,
} from '@davit/documents'
import { floatIn } from '@davit/languages'
import type { ArchitectureModel, TargetModel } from '@davit/normalization'
import { attributesOf } from './attributes.ts'
import { say } from '../messages.ts'
import {
  described,
  memberOf,
  membersOf,
  nameOf,
  numberIn,
  type Part,
  refuse,
  refuseMisplaced,
  suspect,
  suspicion,
  textOf,
} from './part.ts'
import { present } from './present.ts'
import { readProperties, withAbsolutePaths } from './read-properties.ts'

export function readInfrastructure(part: Part): ArchitectureModel['infrastructure'] {
  const targets = new Map<TargetName, TargetModel>()
  const needed = ['properties', 'containers']
  if (refuseMisplaced(part, { attributes: TARGET_ATTRIBUTES, what: 'a target', needed })) return targets
  const suspectOthers = suspicion(TARGET_ATTRIBUTES, 'davit in a target')
  for (const [key, member] of membersOf(part, 'a table of targets')) {
    const name = nameOf(targetName, key, member)
    const target = readTarget(member, suspectOthers)
    if (name !== undefined) targets.set(name, target)
  }
  return targets
}

/** Attributes that davit reads. */
export const TARGET_ATTRIBUTES = [
  'properties',
  'containers',
  'system',
  'numOfCores',
  'clientInterface',
  'targetProperty',
]

function readTarget(part: Part, suspectOthers: ReturnType<typeof suspicion>): TargetModel {
  const { members, read, table } = attributesOf(part, 'a target')
  suspectOthers(members)
  suspectAddress(members)
  return present({
    properties: table('properties', (member) =>
      readProperties(member, { expected: 'a table of properties', use: 'any' }),
    ),
    containers: table('containers', readContainers),
    system: read('system', (member) => nameOf(system, member.value, member)),
    numOfCores: read('numOfCores', readNumOfCores),
    clientInterface: read('clientInterface', readClientInterface),
    targetProperty: read('targetProperty', (member) => textOf(member, 'the name of a property')),
  })
}

/** Warns of an address outside `properties`. */
function suspectAddress(members: ReadonlyMap<string, Part>): void {
  const address = members.get('hostname')
  if (address === undefined || memberOf(members.get('properties')?.value, 'hostname') !== undefined) return
  const hint = "put it into 'properties': properties: { hostname: ... }"
  suspect(address, say('attribute-unknown', { attribute: 'hostname', of: 'davit in a target', hint }))
}

export function readContainers(part: Part): ReadonlyMap<ContainerName, Properties> {
  const containers = new Map<ContainerName, Properties>()
  for (const [key, member] of membersOf(part, 'a table of containers')) {
    const name = nameOf(containerName, key, member)
    const properties = readProperties(member, { expected: 'a table of properties', use: 'module' })
    if (name !== undefined) containers.set(name, withAbsolutePaths(properties, member))
  }
  return containers
}

function readClientInterface(part: Part): string | undefined {
  const text = textOf(part, 'the name or path of a client interface')
  if (text === undefined) return undefined
  const problem = clientInterfaceProblem(text)
  if (problem !== undefined) return refuse(part, problem.message, problem.hint)
  return text.includes('/') ? resolve(part.origin.directory, text) : text
}

function readNumOfCores(part: Part): number | undefined {
  const cores = floatIn(part.value) === undefined ? numberIn(part) : undefined
  if (cores !== undefined && Number.isSafeInteger(cores) && cores >= 1) return cores
  return refuse(part, `expected a number of cores (1, 2, ...), but got ${described(part.value)}`)
}
