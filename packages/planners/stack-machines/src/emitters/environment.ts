import { type BoundValue, finding, type Instance, isCapability, placeOf } from '@davit/stack'
import { linkVariables } from '../addresses.ts'
import { membersOf } from '../endpoints.ts'
import { isVariable } from '../shell.ts'
import type { Emitting, LinkAddresses } from '../unit.ts'
import { environmentText } from '../values.ts'
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
}

export function mountsOf(leaf: Instance, emitting: Emitting): readonly Mount[] {
  return [...membersOf(leaf, 'volumes')].flatMap(([key, value]) =>
    chosenIn(value).map((volume) => ({ key, volume, path: volumePath(emitting, volume) })),
  )
}

function chosenIn(value: BoundValue): readonly Instance[] {
  return isCapability(value) ? [value.chosen] : []
}

/** Whether all keys of these properties can be variables; reports those that cannot. */
export function hasVariableNames(leaf: Instance, properties: readonly string[], { findings }: Emitting): boolean {
  const keys = properties.flatMap((name) => [...membersOf(leaf, name).keys()])
  const strange = keys.filter((key) => !isVariable(key))
  const hint = 'names of variables are letters, digits and `_`, and do not begin with a digit'
  for (const key of strange) findings.push(finding('MU514', [key], { place: placeOf(leaf.spot), hint }))
  return strange.length === 0
}

/** Whether a text that a process would get has a NUL character, which none can get. */
export function hasNul(leaf: Instance, words: readonly string[] = []): boolean {
  return [...words, ...[...membersOf(leaf, 'env').values()].map(environmentText)].some((text) => text.includes('\0'))
}
