import { DavitError, ExitStatus } from '@davit/diagnostics'
import { type Manifest, type MappingId, mappingIdOf, type ServiceMapping } from '@davit/documents'

import { type ActivityKind, activityIdOf, type SkippedMapping, type Transition } from './activity.ts'
import { arrange, type Arranged } from './arrangement.ts'
import { checkPlacement } from './check-placement.ts'
import { explain } from './explanation.ts'
import type { ObservedMapping } from './observed-mapping.ts'
import { byIdentity, type PlacedService, placedServices } from './placed-service.ts'

export interface PlanOptions {
  /** The last generation. It only explains: what is done is told by next and observed alone. */
  readonly previous?: Manifest
  /** `activate-only` stops nothing but what was cut off and is wanted. */
  readonly upgrade: 'upgrade' | 'activate-only'
}

/**
 * What leads from what the targets' records say to the next manifest. Nothing of a target may still be running.
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
  const outgoing = selected(current, (id, { state }) => (wanted.has(id) ? state !== 'active' : upgrade === 'upgrade'))
  const stays = (id: MappingId) => current.get(id)?.state === 'active' && !outgoing.has(id)
  refuseInvalid(next, stays)
  const incoming = selected(wanted, (id) => !stays(id))
  const before = upgrade === 'upgrade' ? previous : undefined
  const { reasonsToStop, reasonsToStart } = explain({ next, wanted, observed: current, outgoing, previous: before })

  return {
    deactivations: dependantsFirst(outgoing).map(({ id, placed, waitsFor }) => ({
      ...activityOf('deactivate', placed, waitsFor),
      reasons: reasonsToStop(id),
      undoneBy: placed.state === 'active' ? 'activate' : 'nothing',
    })),
    activations: dependenciesFirst(incoming).map(({ id, placed, waitsFor }) => ({
      ...activityOf('activate', placed, waitsFor),
      reasons: reasonsToStart(id),
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

function refuseInvalid(next: Manifest, stays: (id: MappingId) => boolean): void {
  const diagnostics = checkPlacement(next, stays)
  if (diagnostics.length === 0) return
  throw new DavitError('invalid-manifest', 'the services of the manifest cannot be put in order', {
    exitStatus: ExitStatus.badDocument,
    diagnostics,
  })
}

type Table<Placed> = ReadonlyMap<MappingId, Placed>

function selected<Placed>(table: Table<Placed>, isWanted: (id: MappingId, placed: Placed) => boolean): Table<Placed> {
  return new Map([...table].filter(([id, placed]) => isWanted(id, placed)))
}

type Ordered<Placed> = Arranged & { readonly placed: Placed; readonly waitsFor: readonly ServiceMapping[] }

function dependenciesFirst<Placed extends PlacedService>(table: Table<Placed>) {
  return resolved(arrange(table.keys(), dependenciesIn(table)), table)
}

function dependantsFirst<Placed extends PlacedService>(table: Table<Placed>) {
  const dependenciesOf = dependenciesIn(table)
  const dependants = new Map<MappingId, MappingId[]>([...table.keys()].map((id) => [id, []]))
  for (const id of table.keys()) {
    for (const dependency of dependenciesOf(id)) dependants.get(dependency)?.push(id)
  }
  return resolved(
    arrange(table.keys(), (id) => dependants.get(id) ?? []),
    table,
  )
}
