import { componentIn, type TargetName } from '@davit/documents'
import { askStatuses, observeMappings, type ObservedRecord } from '@davit/target'
import { isUp } from '@davit/target-runtime'
import type { StatefulService } from '@davit/transition'

import { placeIn, type StateScene } from './scene.ts'

/** Records of services by the place of their state. */
export type RecordsByState = ReadonlyMap<string, ObservedRecord>

/** What a module lists among its activities if state must be restored before its service is activated. */
export const RESTORES_FIRST = 'restore-first'

/** Reads the records of a deployment on all targets that were reached. */
export async function recordsByState({ places, profile }: StateScene): Promise<RecordsByState> {
  const machines = [...new Set([...places.values()].map(({ machine }) => machine))]
  const records = (await Promise.all(machines.map((machine) => observeMappings(machine, profile)))).flat()
  return new Map(records.map((record) => [stateIn(record), record]))
}

export function recordOf(records: RecordsByState, { mapping, component }: StatefulService): ObservedRecord | undefined {
  return records.get(`${mapping.target} ${mapping.container} ${component}`)
}

function stateIn({ mapping, service, component = componentIn(service.pkg) }: ObservedRecord): string {
  return `${mapping.target} ${mapping.container} ${component}`
}

/** How long a module may take to report a status. */
const STATUS_SECONDS = 30

/** Says why a service cannot be relied on; undefined if it is active, has its state, and its module does not deny that it runs. */
export async function doubtAbout(
  one: StatefulService,
  records: RecordsByState,
  scene: StateScene,
): Promise<string | undefined> {
  const { target } = one.mapping
  if (!scene.places.has(target)) return 'cannot be asked'
  const record = recordOf(records, one)
  if (record === undefined || !isAtRest(record)) return 'is not active'
  if (record.toRestore !== undefined) return 'does not have the state yet'
  if (record.declared?.includes('status') !== true) return undefined
  return (await statusOf(record, target, scene)) === 'runs' ? undefined : 'does not run'
}

function isAtRest({ state, running }: ObservedRecord): boolean {
  return isUp(state) && !running
}

async function statusOf({ mapping, definition }: ObservedRecord, target: TargetName, scene: StateScene) {
  const { profile, timeoutSeconds = STATUS_SECONDS } = scene
  const limits = { atATime: 1, timeoutSeconds: Math.min(timeoutSeconds, STATUS_SECONDS) }
  const { machine } = placeIn(scene, target)
  const asked = { profile, target, mappings: [mapping], definitions: [definition] }
  const [status] = await askStatuses(machine, { ...asked, ...limits })
  return status
}
