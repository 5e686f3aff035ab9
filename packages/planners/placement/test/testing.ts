import type { ContainerName, Properties, PropertyValue, ServiceName, TargetName } from '@davit/documents'

import {
  type FormerPlaces,
  type Place,
  type PlaceableModels,
  type PlaceableService,
  placeServices,
  type PlacementTerms,
} from '../src/placement.ts'

/** A service in short form: its type, and what it needs or provides. */
export interface ShortService {
  readonly type?: string
  readonly tags?: PropertyValue
  readonly memoryMB?: number
  readonly provides?: string
  /** Own places. */
  readonly on?: readonly string[]
  /** Services that it uses, with the targets that it names for them. */
  readonly uses?: Readonly<Record<string, readonly string[] | undefined>>
}

/** A target in short form: by default, it has the container `process`. */
export interface ShortTarget {
  readonly has?: readonly string[]
  readonly tags?: PropertyValue
  readonly memoryMB?: number
  readonly numOfCores?: number
}

export interface ShortModels {
  readonly services: Readonly<Record<string, ShortService>>
  readonly targets: Readonly<Record<string, ShortTarget>>
}

export function modelsOf({ services, targets }: ShortModels): PlaceableModels {
  return {
    services: new Map(Object.entries(services).map(([name, one]) => [name as ServiceName, serviceOf(one)])),
    infrastructure: new Map(
      Object.entries(targets).map(([name, { has = ['process'], tags, memoryMB, numOfCores }]) => [
        name as TargetName,
        {
          properties: present({ tags, memoryMB }),
          containers: new Map(has.map((container) => [container as ContainerName, new Map()])),
          ...(numOfCores === undefined ? {} : { numOfCores }),
        },
      ]),
    ),
  }
}

function serviceOf({ type = 'process', tags, memoryMB, provides, on, uses = {} }: ShortService): PlaceableService {
  const dependencies = Object.entries(uses).map(([name, targets]) => {
    return [name, { service: name, ...(targets && { targets: targets.map((target) => placeOf(target)) }) }] as const
  })
  return {
    type,
    attributes: present({ tags, memoryMB }),
    dependsOn: new Map(dependencies),
    connectsTo: new Map(),
    activatesAfter: new Map(),
    ...(provides === undefined ? {} : { providesContainer: provides }),
    ...(on === undefined ? {} : { targets: on.map((target) => placeOf(target)) }),
  }
}

/** `target` or `target/container` */
export function placeOf(text: string): Partial<Place> & { readonly target: TargetName } {
  const [target, container] = text.split('/')
  return { target: target as TargetName, ...(container === undefined ? {} : { container: container as ContainerName }) }
}

function present(values: Readonly<Record<string, PropertyValue | undefined>>): Properties {
  return new Map(Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}

/** Places by service, `target` or `target/container` each; services without a place have a reason instead. */
export function placed(models: ShortModels, terms: PlacementTerms = {}): Readonly<Record<string, string>> {
  const { placements, unplaced } = placeServices(modelsOf(models), terms)
  const typeOf = (service: string) => models.services[service]?.type ?? 'process'
  const shown = [...placements].map(([name, places]) => {
    const texts = places.map(({ target, container }) =>
      container === typeOf(name) ? target : `${target}/${container}`,
    )
    return [name, texts.join(' ')] as const
  })
  return Object.fromEntries([...shown, ...unplaced.map(({ service }) => [service, 'nowhere'] as const)])
}

/** `{ web: 't1 t2/other' }` as places of before. */
export function before(places: Readonly<Record<string, string>>, type = 'process'): ReadonlyMap<string, FormerPlaces> {
  return new Map(
    Object.entries(places).map(([name, texts]) => [
      name,
      { type, places: texts.split(' ').map((text) => ({ container: type as ContainerName, ...placeOf(text) })) },
    ]),
  )
}

/** Where the services of models were placed, for the next placement. */
export function formerOf(models: ShortModels, terms: PlacementTerms = {}): ReadonlyMap<string, FormerPlaces> {
  const { placements } = placeServices(modelsOf(models), terms)
  return new Map(
    [...placements].map(([name, places]) => [name, { type: models.services[name]?.type ?? 'process', places }]),
  )
}
