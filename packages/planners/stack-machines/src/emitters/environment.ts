import {
  type BoundValue,
  finding,
  type Instance,
  isCapability,
  placeOfKey,
  placeOfValue,
  type Spot,
} from '@davit/stack'
import { linkVariables } from '../addresses.ts'
import { membersOf } from '../endpoints.ts'
import { isVariable } from '../shell.ts'
import type { Emitting, LinkAddresses } from '../unit.ts'
import { environmentText } from '../values.ts'
import type { Problem } from './incomplete.ts'
import { volumePath } from './volume.ts'

/** Variables of a process. What `env` says counts, even if it has the name of another variable. */
export function environmentOf(leaf: Instance, emitting: Emitting, links: LinkAddresses): ReadonlyMap<string, string> {
  const [port] = emitting.portsOf(leaf)
  return new Map([
    ...(port === undefined ? [] : [['PORT', String(port)] as const]),
    ...[...links].flatMap(([link, places]) => linkVariables(link, places)),
    ...mountsOf(leaf, emitting).flatMap(({ key, path }) => (isVariable(key) ? [[key, path] as const] : [])),
    ...[...membersOf(leaf, 'env')].map(([key, value]) => [key, environmentText(value)] as const),
  ])
}

export interface Mount {
  /** The variable that gets the path, or the path in a container. */
  readonly key: string
  readonly volume: Instance
  readonly path: string
  /** Where the volume is named. */
  readonly spot: Spot
}

export function mountsOf(leaf: Instance, emitting: Emitting): readonly Mount[] {
  return [...membersOf(leaf, 'volumes')].flatMap(([key, value]) =>
    isCapability(value)
      ? [{ key, volume: value.chosen, path: volumePath(emitting, value.chosen), spot: value.spot }]
      : [],
  )
}

/** Whether all keys of these properties can be variables; reports those that cannot. */
export function hasVariableNames(leaf: Instance, properties: readonly string[], { findings }: Emitting): boolean {
  const keys = properties.flatMap((name) => [...membersOf(leaf, name).keys()].map((key) => [name, key] as const))
  const strange = keys.filter(([, key]) => !isVariable(key))
  const hint = 'names of variables are letters, digits and `_`, and do not begin with a digit'
  for (const [name, key] of strange) {
    findings.push(finding('MU514', [key], { place: placeOfKey(leaf, name, key), hint }))
  }
  return strange.length === 0
}

/** Finds a NUL character in these properties, which no process can get. */
export function nulProblem(leaf: Instance, properties: readonly string[]): Problem | undefined {
  for (const name of properties) {
    for (const [text, ...path] of textsOf(leaf.properties.get(name) ?? null)) {
      if (!text.includes('\0')) continue
      const message = `'${leaf.fqn}' has a NUL character in \`${name}\``
      return { message, hint: 'no process can get it', place: placeOfValue(leaf, name, ...path) }
    }
  }
  return undefined
}

/** Texts that a process gets of a property, and where in it they are. */
function textsOf(value: BoundValue): readonly (readonly [string, ...(string | number)[]])[] {
  if (value instanceof Map) {
    const members = [...(value as ReadonlyMap<string, BoundValue>)]
    return members.map(([key, member]) => [environmentText(member), key] as const)
  }
  if (Array.isArray(value)) return (value as readonly BoundValue[]).map((item, index) => [environmentText(item), index])
  return [[environmentText(value)]]
}
