import { DavitError, ExitStatus } from '@davit/diagnostics'
import { type Manifest, type MappingId, mappingIdOf } from '@davit/documents'
import { closureOf } from '@davit/service-graph'
import { compareText } from '@davit/languages'
import { isUp } from '@davit/target-runtime'

import type { Activation, Deactivation, OutdatedMapping, Transition } from './activity.ts'
import { dependantsFirst, dependenciesFirst, dependenciesIn } from './arrangement.ts'
import { checkPlacement } from './check-placement.ts'
import { type Explanation, explain } from './explanation.ts'
import { inOrder } from './in-order.ts'
import type { ObservedMapping } from './observed-mapping.ts'
import {
  byIdentity,
  chosen,
  type PlacedService,
  placedServices,
  type Placements,
  targetLabelOf,
} from './placed-service.ts'
import { NO_STATE, phasesWithState, type StatePlan, withResting, withRestored } from './plan-state.ts'
import { type ChangedSettings, troublesOf } from './troubles.ts'

export interface PlanOptions {
  /** Manifest of the last generation. It only explains the plan, which follows from next and observed alone. */
  readonly previous?: Manifest
  /**
   * `activate-only` stops only wanted services that cannot be left alone; `repair` also activates only these, and the services
   * they depend on.
   */
  readonly upgrade: 'upgrade' | 'activate-only' | 'repair'
  /** What to do about changed settings under the same key; by default they are only reported. */
  readonly changed?: ChangedSettings
  /** State that moves; by default none does. */
  readonly state?: StatePlan
}

/**
 * Plans the transition from the targets' records to the next manifest. No observed activity may still be running.
 * Throws a DavitError `invalid-manifest` with all dangling references and cycles of next.
 */
export function planTransition(
  next: Manifest,
  observed: readonly ObservedMapping[],
  { previous, upgrade, changed = 'keep', state = NO_STATE }: PlanOptions,
): Transition {
  refuseRunning(observed)
  const current = byIdentity(observed)
  const wanted = placedServices(next)
  const outgoing = chosen(current, (id, one) =>
    wanted.has(id) ? troublesOf(one, changed).length > 0 : upgrade === 'upgrade',
  )
  const stays = (id: MappingId) => current.has(id) && !outgoing.has(id)
  refuseInvalid(next, (id) => stays(id) && isUp(current.get(id)?.state ?? ''))
  const missing = chosen(wanted, (id) => !stays(id))
  const incoming = upgrade === 'repair' ? withDependencies(outgoing, wanted, missing) : missing
  const before = upgrade === 'activate-only' ? undefined : previous
  const reasons = explain({ next, wanted, current, outgoing, previous: before, changed })
  const outdated = chosen(current, (id, { changes = [] }) => changes.length > 0 && wanted.has(id) && !outgoing.has(id))

  const [resting, restored] = [withResting(outgoing, state), withRestored(incoming, state)]

  return {
    phases: phasesWithState(
      {
        stopping: dependantsFirst(resting, layered(current, resting, wanted)),
        deactivations: mapped(outgoing, (id, one) => deactivationOf(id, one, reasons)),
        starting: dependenciesFirst(restored, layered(wanted, restored, current)),
        activations: mapped(incoming, (id, one) => activationOf(id, one, reasons)),
      },
      state,
    ).map(inOrder),
    skipped: [],
    outdated: [...outdated.values()].toSorted(byName).map(outdatedOf),
  }
}

/** Orders by service name and target; equal ones keep the order of identities. */
function byName(left: ObservedMapping, right: ObservedMapping): number {
  return compareText(left.service.name, right.service.name) || compareText(left.mapping.target, right.mapping.target)
}

/** The services of all tables, but for those whose mappings are in an earlier table: what stays as it is connects what does not. */
function layered(...tables: readonly Placements[]): Placements {
  const all = new Map<MappingId, PlacedService>()
  const named = new Set<MappingId>()
  for (const table of tables) {
    const added = chosen(table, (id, { mapping }) => all.has(id) || !named.has(mappingIdOf(mapping)))
    for (const [id, placed] of added) if (!all.has(id)) all.set(id, placed)
    for (const { mapping } of added.values()) named.add(mappingIdOf(mapping))
  }
  return all
}

/** Makes a table of what a function returns for each row. */
function mapped<One, Other>(table: ReadonlyMap<MappingId, One>, of: (id: MappingId, one: One) => Other) {
  return new Map([...table].map(([id, one]) => [id, of(id, one)] as const))
}

function deactivationOf(
  id: MappingId,
  { mapping, service, recordedAs, state, doubt }: ObservedMapping,
  reasons: Explanation,
): Deactivation {
  const what = { mapping, service, recordedAs, definition: 'recorded' } as const
  return {
    ...what,
    id: `deactivate ${id}`,
    kind: 'deactivate',
    otherwise: 'next',
    waitsFor: [],
    reasons: reasons.toDeactivate(id),
    undo: isUp(state) && doubt !== 'damaged' ? { ...what, id: `activate ${id}`, kind: 'activate' } : undefined,
  }
}

function activationOf(id: MappingId, { mapping, service }: PlacedService, reasons: Explanation): Activation {
  return {
    id: `activate ${id}`,
    kind: 'activate',
    mapping,
    service,
    definition: 'next',
    waitsFor: [],
    reasons: reasons.toActivate(id),
    undo: {
      id: `deactivate ${id}`,
      kind: 'deactivate',
      mapping,
      service,
      definition: 'recorded',
      otherwise: 'nothing',
    },
  }
}

/** Returns the missing services that are being restarted, and the missing ones that these depend on, directly or not. */
function withDependencies(restarted: Placements, wanted: Placements, missing: Placements): Placements {
  const ids = closureOf(restarted.keys(), dependenciesIn(wanted))
  return chosen(missing, (id) => ids.has(id))
}

function outdatedOf({ mapping, service, changes = [], areChangesTold = false }: ObservedMapping): OutdatedMapping {
  return { mapping, service, changes, isTold: areChangesTold }
}

function refuseRunning(observed: readonly ObservedMapping[]): void {
  const running = observed.filter((mapping) => mapping.running)
  if (running.length === 0) return
  const names = running.map((one) => `'${one.service.name}' on '${targetLabelOf(one)}'`)
  throw new DavitError('still-running', `an activity is still running for ${names.join(', ')}`, {
    exitStatus: ExitStatus.locked,
    hint: 'try again when it has ended; without --dry-run, davit waits for it',
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
