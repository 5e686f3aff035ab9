import { type Place, quoted } from '@davit/diagnostics'
import type { TargetModel } from '@davit/normalization'
import { finding, type StackFinding } from '@davit/stack'

/** Where others reach one place of a leaf. */
export interface Address {
  readonly host: string
  readonly port: number
  readonly url: string
}

export type Targets = ReadonlyMap<string, TargetModel>

/** Tells where a property of a target is written, or else the target. */
export type PlaceOf = (target: string, property: string) => Place | undefined

interface Reachable {
  readonly targets: Targets
  readonly placeOf?: PlaceOf
  readonly targetProperty?: string
}

/** Tells hosts of targets; reports each target once that has none. */
export function hostFinder(
  { targets, placeOf, targetProperty = 'hostname' }: Reachable,
  addressProperty: string | undefined,
  findings: StackFinding[],
) {
  const hosts = new Map<string, string>()
  const isGiven = [...targets.values()].every(({ properties }) => properties.has('address'))
  const propertyOf = (target: TargetModel | undefined) => {
    return addressProperty ?? (isGiven ? 'address' : (target?.targetProperty ?? targetProperty))
  }
  const find = (name: string): string => {
    const target = targets.get(name)
    const property = propertyOf(target)
    const host = target?.properties.get(property)
    if (typeof host === 'string' && HOST.test(host)) return host
    const message = host === undefined ? `target ${quoted(name)} has no property ${quoted(property)}` : undefined
    findings.push(finding('MU613', [name, property], { place: placeOf?.(name, property), message }))
    return ''
  }
  return (name: string): string => {
    const host = hosts.get(name) ?? find(name)
    hosts.set(name, host)
    return host
  }
}

/** A name, or an address of IPv4 or IPv6; no user, port or protocol. */
const HOST = /^(?:[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_.])?|[0-9A-Fa-f]*:[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*)$/

export function addressOf(protocol: string, host: string, port: number): Address {
  return { host, port, url: `${protocol}://${host.includes(':') ? `[${host}]` : host}:${port}` }
}

/** Variables of a link: the address of its first place, and those of all. */
export function linkVariables(link: string, addresses: readonly Address[]): readonly (readonly [string, string])[] {
  const [first] = addresses
  if (first === undefined) return []
  const name = link.toUpperCase()
  return [
    [name, first.url],
    [`${name}_HOST`, first.host],
    [`${name}_PORT`, String(first.port)],
    [`${name}_ALL`, addresses.map(({ url }) => url).join(',')],
  ]
}
