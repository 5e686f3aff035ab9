import { finding, isCapability, type Instance, placeOf, type StackFinding } from '@davit/stack'
import { endpointOf, type Endpoint, membersOf, stackName } from './endpoints.ts'
import { isVariable } from './shell.ts'

/** Returns the ports that a leaf links to, by the names of its links; each must be exactly one. */
export function linksOf(leaf: Instance, findings: StackFinding[]): ReadonlyMap<string, Endpoint> {
  const links = new Map<string, Endpoint>()
  const place = placeOf(leaf.spot)
  const variables = new Set<string>()
  for (const [name, value] of membersOf(leaf, 'links')) {
    if (!isCapability(value)) continue
    const endpoint = endpointOf(value)
    const { chosen } = value
    if (endpoint === undefined) findings.push(finding('MU510', [chosen.name, stackName(chosen)], { place }))
    else links.set(name, endpoint)
    if (!isVariable(name)) {
      const hint = 'links are names of variables: letters, digits and `_`, not beginning with a digit'
      findings.push(finding('MU514', [name], { place, hint }))
    }
    const variable = name.toUpperCase()
    if (variables.has(variable)) {
      findings.push(finding('MU502', [name], { place, hint: `another link gives the variable ${variable} too` }))
    }
    variables.add(variable)
  }
  return links
}
