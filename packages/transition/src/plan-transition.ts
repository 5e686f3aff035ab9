import { DavitError, ExitStatus } from '@davit/diagnostics'
import { type Manifest, type MappingId, mappingIdOf } from '@davit/documents'

import type { SkippedMapping, Transition } from './activity.ts'
import { dependantsFirst, dependenciesFirst } from './arrangement.ts'
import { checkPlacement } from './check-placement.ts'
import { explain } from './explanation.ts'
import type { ObservedMapping } from './observed-mapping.ts'
import { byIdentity, placedServices, type Placements } from './placed-service.ts'

export interface PlanOptions {
  /** The last generation. It only explains: what is done follows from next and observed alone. */
  readonly previous?: Manifest
  /** `activate-only` stops nothing but what was cut off and is wanted. */
  readonly upgrade: 'upgrade' | 'activate-only'
}

/**
 * What leads from what the targets' records say to the next manifest. Nothing that was observed may still be running.
 * Throws a DavitError `invalid-manifest` with all dangling references and cycles of next.
 */
export function planTransition(
  next: Manifest,
  observed: readonly ObservedMapping[],
  { previous, upgrade }: PlanOptions,
): Transition {
  refuseRunning(observed)
  const current = byIdentity(observed)
  const wanted = placedServices(next)
  const outgoing = select(current, (id, { state }) => (wanted.has(id) ? state !== 'active' : upgrade === 'upgrade'))
  const stays = (id: MappingId) => current.has(id) && !outgoing.has(id)
  refuseInvalid(next, (id) => stays(id) && current.get(id)?.state === 'active')
  const incoming = select(wanted, (id) => !stays(id))
  const before = upgrade === 'upgrade' ? previous : undefined
  const reasons = explain({ next, wanted, current, outgoing, previous: before })

  return {
    deactivations: dependantsFirst(outgoing).map(({ id, placed, waitsFor }) => ({
      id: `deactivate ${id}`,
      kind: 'deactivate',
      mapping: placed.mapping,
      service: placed.service,
      waitsFor: waitsFor.map((other) => `deactivate ${other}` as const),
      reasons: reasons.toDeactivate(id),
      undoneBy: placed.state === 'active' ? 'activate' : 'nothing',
    })),
    activations: dependenciesFirst(incoming).map(({ id, placed, waitsFor }) => ({
      id: `activate ${id}`,
      kind: 'activate',
      mapping: placed.mapping,
      service: placed.service,
      waitsFor: waitsFor.map((other) => `activate ${other}` as const),
      reasons: reasons.toActivate(id),
      undoneBy: 'deactivate',
    })),
    skipped: before === undefined ? [] : skippedOf(before, next, current),
  }
}

function refuseRunning(observed: readonly ObservedMapping[]): void {
  const running = observed.filter((mapping) => mapping.running)
  if (running.length === 0) return
  const names = running.map(({ mapping, service }) => `'${service.name}' on '${mapping.target}'`)
  throw new DavitError('still-running', `an activity is still running for ${names.join(', ')}`, {
    exitStatus: ExitStatus.locked,
    hint: 'wait until it has ended and observe the targets again',
  })
}

function refuseInvalid(next: Manifest, isUp: (id: MappingId) => boolean): void {
  const diagnostics = checkPlacement(next, isUp)
  if (diagnostics.length === 0) return
  throw new DavitError('invalid-manifest', 'the services of the manifest cannot be activated in any order', {
    exitStatus: ExitStatus.badDocument,
    diagnostics,
  })
}

function select<Placed>(
  table: ReadonlyMap<MappingId, Placed>,
  isChosen: (id: MappingId, placed: Placed) => boolean,
): ReadonlyMap<MappingId, Placed> {
  return new Map([...table].filter(([id, placed]) => isChosen(id, placed)))
}

function skippedOf(previous: Manifest, next: Manifest, current: Placements): readonly SkippedMapping[] {
  return [...placedServices(previous).values()]
    .filter(({ mapping }) => !next.infrastructure.has(mapping.target) && !current.has(mappingIdOf(mapping)))
    .map(({ mapping, service }) => ({
      mapping,
      service,
      message: `Skip service '${service.name}' on target '${mapping.target}', which is no longer in the infrastructure`,
    }))
}
