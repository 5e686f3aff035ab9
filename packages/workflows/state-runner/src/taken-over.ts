import { readStateMark, type StateMark } from '@davit/target'
import type { StatefulService } from '@davit/transition'

import { componentOf, named, placeIn, type StateScene } from './scene.ts'

export interface Departure {
  readonly from: StatefulService
  /** Instances that take over the state: they must have it, and run, before it is deleted. */
  readonly successors: readonly StatefulService[]
}

/**
 * Says why state counts as not taken over by its successors; undefined if each was restored from the snapshot that was taken of it after it
 * was used last, or from one that follows that snapshot.
 */
export async function notTakenOver({ from, successors }: Departure, scene: StateScene): Promise<string | undefined> {
  const [first] = successors
  const reached = successors.filter(({ mapping }) => scene.places.has(mapping.target))
  const { saved } = await markOf(from, scene)
  if (saved === undefined && first !== undefined)
    return `there is no snapshot of it, as it was left, with which ${placed(first)} could have taken it over${REMEDY}`
  const marks = await Promise.all(reached.map((one) => markOf(one, scene)))
  const index = marks.findIndex(({ restored }) => !restored.some((name) => name === saved))
  const [one, mark] = [reached[index], marks[index]]
  if (one === undefined || mark === undefined) return undefined
  const instead = mark.restored.length === 0 ? 'it began anew' : 'its state is from another snapshot'
  return `${placed(one)} has not taken it over: ${instead}${REMEDY}`
}

const REMEDY =
  "; 'davit-migrate -o OLD' moves it there, in place of what is there now, or 'davit-delete-state --discard' deletes it all the same"

function placed(one: StatefulService): string {
  return `${named(one)} on '${one.mapping.target}'`
}

async function markOf(one: StatefulService, scene: StateScene): Promise<StateMark> {
  const { target } = one.mapping
  return readStateMark(await scene.machines.on(placeIn(scene, target)), { target, ...componentOf(one) })
}
