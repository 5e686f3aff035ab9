import {
  type BoundValue,
  finding,
  isCapability,
  type Instance,
  placeOf,
  placeOfKey,
  type StackFinding,
} from '@davit/stack'
import { endpointOf, type Endpoint, membersOf, stackName } from './endpoints.ts'
import type { PortsOf } from './ports.ts'
import { isVariable } from './shell.ts'

export interface LinkContext {
  readonly portsOf: PortsOf
  readonly findings: StackFinding[]
}

/** Returns the port that a service in a property stands for; reports if it is not exactly one. */
export function endpointIn(value: BoundValue, { portsOf, findings }: LinkContext): Endpoint | undefined {
  if (!isCapability(value)) return undefined
  const endpoint = endpointOf(value, portsOf)
  const { chosen, spot } = value
  if (endpoint === undefined) {
    findings.push(finding('MU510', [chosen.name, stackName(chosen)], { place: placeOf(spot) }))
  }
  return endpoint
}

/** Returns the ports that a leaf links to, by the names of its links; each must be exactly one. */
export function linksOf(leaf: Instance, { portsOf, findings }: LinkContext): ReadonlyMap<string, Endpoint> {
  const links = new Map<string, Endpoint>()
  const variables = new Set<string>()
  for (const [name, value] of membersOf(leaf, 'links')) {
    if (!isCapability(value)) continue
    const endpoint = endpointIn(value, { portsOf, findings })
    if (endpoint !== undefined) links.set(name, endpoint)
    if (!isVariable(name)) {
      const hint = 'links are names of variables: letters, digits and `_`, not beginning with a digit'
      findings.push(finding('MU514', [name], { place: placeOfKey(leaf, 'links', name), hint }))
    }
    const variable = name.toUpperCase()
    if (variables.has(variable)) {
      const hint = `another link gives the variable ${variable} too`
      findings.push(finding('MU502', [name], { place: placeOfKey(leaf, 'links', name), hint }))
    }
    variables.add(variable)
  }
  return links
}
