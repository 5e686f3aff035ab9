import type { Manifest, ServiceMapping } from '@davit/documents'
import { grouped } from '@davit/languages'

/** Positions of mappings among those of their service, for services whose targets are not in the order of names. */
export function unusualPositions({ services, serviceMappings }: Manifest): ReadonlyMap<ServiceMapping, number> {
  const groups = grouped(serviceMappings, ({ service }) => services.get(service)?.name)
  const unusual = [...groups.values()].filter((group) =>
    group.some(({ target }, index) => target < (group[index - 1]?.target ?? target)),
  )
  return new Map(unusual.flatMap((group) => group.map((mapping, index): [ServiceMapping, number] => [mapping, index])))
}
