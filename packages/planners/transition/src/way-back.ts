import type { MappingId } from '@davit/documents'
import { isUp, startsService } from '@davit/target-runtime'

import { activitiesOf, type Activity, type Transition } from './activity.ts'
import { dependantsFirst, dependenciesFirst } from './arrangement.ts'
import type { ObservedMapping } from './observed-mapping.ts'
import { byIdentity, identityOf, type PlacedService } from './placed-service.ts'

/** A service that is stopped, or started again, to return to what was active before a transition. */
export interface WayBackStep {
  readonly step: 'stop' | 'start'
  readonly id: MappingId
  readonly placed: PlacedService
}

/**
 * Plans the way back from anywhere within a transition, and after a restart of the machines: whoever goes it leaves alone what is as
 * it was. First everything is stopped, dependants before dependencies, new services before those that were there; then those that
 * were active are started.
 */
export function wayBack(transition: Transition, observed: readonly ObservedMapping[]): readonly WayBackStep[] {
  const before = byIdentity(observed)
  const added = byIdentity<Activity>(
    activitiesOf(transition).filter((one) => startsService(one.kind) && !before.has(identityOf(one))),
  )
  const active = byIdentity(observed.filter(({ state }) => isUp(state)))
  return [
    ...dependantsFirst(added, new Map<MappingId, PlacedService>([...before, ...added])).map(stepTo('stop')),
    ...dependantsFirst(before, before).map(stepTo('stop')),
    ...dependenciesFirst(active, before).map(stepTo('start')),
  ]
}

function stepTo(step: WayBackStep['step']) {
  return ({ id, placed }: { readonly id: MappingId; readonly placed: PlacedService }): WayBackStep => ({
    step,
    id,
    placed,
  })
}
