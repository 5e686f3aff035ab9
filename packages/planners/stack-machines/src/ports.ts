import { createHash } from 'node:crypto'
import type { Place } from '@davit/diagnostics'
import { compareText } from '@davit/languages'
import { finding, type Instance, placeOf, placeOfValue, portsOf, type StackFinding } from '@davit/stack'
import { stackName } from './endpoints.ts'
import type { Settings } from './settings.ts'

/** Returns the ports on which a leaf listens. */
export type PortsOf = (leaf: Instance) => readonly number[]

const FUNCTIONS: ReadonlySet<string> = new Set(['mu/func', 'mu/lambda'])

/**
 * Gives each function without a port one of the range in the settings: which one depends on its name, and on the ports that others have.
 * Reports ports that are none.
 */
export function portFinder(leaves: readonly Instance[], { ports }: Settings, findings: StackFinding[]): PortsOf {
  for (const leaf of leaves) checkPorts(leaf, findings)
  const taken = new Map(leaves.flatMap((leaf) => portsOf(leaf).map((port) => [port, leaf] as const)))
  const chosen = new Map<Instance, readonly number[]>()
  const wanting = leaves.filter((leaf) => FUNCTIONS.has(stackName(leaf)) && portsOf(leaf).length === 0)
  for (const leaf of wanting.toSorted((left, right) => compareText(left.fqn, right.fqn))) {
    const first = preferred(leaf.fqn, ports)
    const port = firstFree(first, ports, taken)
    const subjects = [first, leaf.fqn, taken.get(first)?.fqn]
    if (port === undefined) findings.push(finding('MU612', subjects, { place: placeOf(leaf.spot), hint: MORE }))
    else chosen.set(leaf, [port])
    taken.set(port ?? first, leaf)
  }
  return (leaf) => chosen.get(leaf) ?? portsOf(leaf)
}

/** Tells where a port of a leaf is written. */
export function placeOfPort(leaf: Instance, port: number): Place {
  const several = leaf.properties.get('ports')
  const index = Array.isArray(several) ? several.indexOf(port) : -1
  return index === -1 ? placeOfValue(leaf, 'port') : placeOfValue(leaf, 'ports', index)
}

const MORE = 'all ports of the setting `ports` are taken: make it larger, or give the function a `port`'

function preferred(fqn: string, [first, last]: Settings['ports']): number {
  return first + (createHash('sha256').update(fqn).digest().readUInt32BE() % (last - first + 1))
}

function firstFree(
  wanted: number,
  [first, last]: Settings['ports'],
  taken: ReadonlyMap<number, Instance>,
): number | undefined {
  const count = last - first + 1
  for (let step = 0; step < count; step += 1) {
    const port = first + ((wanted - first + step) % count)
    if (!taken.has(port)) return port
  }
  return undefined
}

function checkPorts(leaf: Instance, findings: StackFinding[]): void {
  for (const port of portsOf(leaf)) {
    if (Number.isInteger(port) && port >= 1 && port <= 65_535) continue
    const message = `${port} is no port on which '${leaf.fqn}' could listen`
    const hint = 'ports are numbers from 1 to 65535'
    findings.push(finding('MU610', [leaf.fqn], { place: placeOfPort(leaf, port), message, hint }))
  }
}
