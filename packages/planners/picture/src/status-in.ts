import { type InventoryDocument, type Manifest, type MappingId, mappingIdOf } from '@davit/documents'
import { isUp } from '@davit/target-runtime'

import type { Status, StatusKind } from './graph.ts'

type FoundTarget = InventoryDocument['targets'][number]
type Found = FoundTarget['services'][number]

/** Tells of each instance of a manifest what an inventory has found. */
export function statusIn(
  { targets }: InventoryDocument,
  { serviceMappings }: Manifest,
): ReadonlyMap<MappingId, Status> {
  const errors = new Map(targets.flatMap(({ target, error }) => (error === undefined ? [] : [[target, error.message]])))
  const found = new Map<string, Found>(
    targets.flatMap(({ target, services }) => services.map((one) => [`${target} ${one.container} ${one.key}`, one])),
  )
  return new Map(
    serviceMappings.map((mapping) => {
      const id = mappingIdOf(mapping)
      return [id, statusOf(found.get(id), errors.get(mapping.target))]
    }),
  )
}

function statusOf(found: Found | undefined, error: string | undefined): Status {
  if (error !== undefined) return { kind: 'unknown', text: `its target cannot be asked: ${error}` }
  if (found === undefined) return { kind: 'unknown', text: 'nothing is known of it' }
  const text = found.drift.map((one) => one.text).join('; ')
  if (found.drift.some(({ kind }) => DOWN.has(kind))) return { kind: 'down', text }
  if (found.drift.some(({ kind }) => kind === 'unknown')) return { kind: 'unknown', text }
  if (found.drift.length > 0) return { kind: 'drifted', text }
  return WITHOUT_DRIFT.get(found.status ?? '') ?? recorded(found)
}

/** Kinds of drift of a service that does not run, or is not known to. */
const DOWN: ReadonlySet<string> = new Set(['died', 'rebooted', 'cut-off', 'failed', 'missing'])

const WITHOUT_DRIFT: ReadonlyMap<string, Status> = new Map([
  ['runs', { kind: 'active', text: 'runs' }],
  ['does-not-run', { kind: 'down', text: 'does not run' }],
  ['gone', { kind: 'down', text: 'does not run' }],
  ['unknown', { kind: 'unknown', text: 'its module did not answer in time' }],
])

/** A module that reports no status was asked for none. */
function recorded({ state = 'not there' }: Found): Status {
  const kind: StatusKind = isUp(state) ? 'active' : 'unknown'
  return { kind, text: `recorded as ${state}` }
}
