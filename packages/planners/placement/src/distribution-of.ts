import type { ServiceName } from '@davit/documents'

import type { Place } from './models.ts'
import type { Placements } from './place-services.ts'

/** A place in a distribution model: the name of the target, or also that of the container, if it is not named after the type. */
type WrittenPlace = string | Place

/** Returns a distribution model as data. */
export function distributionOf(
  { placements }: Pick<Placements, 'placements'>,
  typeOf: (service: ServiceName) => string | undefined,
): ReadonlyMap<string, readonly WrittenPlace[]> {
  const written = (type: string | undefined) => (place: Place) => (place.container === type ? place.target : place)
  return new Map([...placements].map(([name, places]) => [name, places.map(written(typeOf(name)))]))
}
