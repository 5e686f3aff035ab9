import { type ActivityDefinition, listSnapshots, readStateMark, type StateMark } from '@davit/target'
import type { StatefulService } from '@davit/transition'

import { doubtAbout, recordsByState } from './active-records.ts'
import { say } from './messages.ts'
import { performOn } from './perform-on.ts'
import { componentOf, named, needsOf, placeIn, type StateScene, storesOf } from './scene.ts'
import { sharedUse } from './shared-use.ts'
import type { StateTask } from './task.ts'

export interface Departure {
  readonly from: StatefulService
  /** Instances that have taken over the state, and must run before it is deleted. */
  readonly successors: readonly StatefulService[]
}

/** Plans to delete the state that waits for it, and says which state does not. The target checks it once more. */
export async function deleteTasks(departures: readonly Departure[], scene: StateScene): Promise<readonly StateTask[]> {
  const marked = await Promise.all(
    departures.map(async (one) => {
      const { target } = one.from.mapping
      const machine = await scene.machines.on(placeIn(scene, target))
      return { ...one, mark: await readStateMark(machine, { target, ...componentOf(one.from) }) }
    }),
  )
  for (const { from, mark } of marked) {
    if (mark.kind === 'garbage') continue
    const { service, mapping } = from
    scene.report(
      say(mark.kind === 'in-use' ? 'state-in-use' : 'state-unknown', { service: service.name, target: mapping.target }),
    )
  }
  return marked.filter(({ mark }) => mark.kind === 'garbage').map((one) => deleting(one, scene))
}

interface MarkedDeparture extends Departure {
  readonly mark: StateMark
}

/** As the service used the state last: settings may have changed since, so that the module would delete something else. */
function deleting({ from, successors, mark: { definition } }: MarkedDeparture, scene: StateScene): StateTask {
  const { mapping } = from
  const { target } = mapping
  return {
    stateful: from,
    target,
    steps: [
      {
        kind: 'delete',
        text: `delete the state of ${named(from)}`,
        where: `on ${target}`,
        needs: needsOf(from, scene, definition),
        async run() {
          const doubt = (await doubtIn({ from, successors }, scene)) ?? (await useOf(from, definition, scene))
          if (doubt !== undefined) return { kind: 'failed', message: doubt }
          return performOn('collect-garbage', from, { scene })
        },
      },
    ],
  }
}

async function doubtIn({ from, successors }: Departure, scene: StateScene): Promise<string | undefined> {
  const [first] = successors
  if (first === undefined) return undefined
  if (!(await hasSnapshot(from, scene))) {
    return `there is no snapshot of it with which ${named(first)} on '${first.mapping.target}' could have taken it over`
  }
  const records = await recordsByState(scene)
  for (const one of successors) {
    const doubt = await doubtAbout(one, records, scene)
    if (doubt !== undefined) return `${named(one)} on '${one.mapping.target}', which took it over, ${doubt}`
  }
  return undefined
}

async function useOf(
  from: StatefulService,
  definition: ActivityDefinition | undefined,
  scene: StateScene,
): Promise<string | undefined> {
  if (definition === undefined) return undefined
  const user = sharedUse({ from, definition }, await recordsByState(scene), scene)
  if (user === undefined) return undefined
  const { service, mapping } = user
  return `'${service.name}' in '${mapping.container}' on '${mapping.target}' has the same settings, and so uses the same state`
}

async function hasSnapshot(stateful: StatefulService, scene: StateScene): Promise<boolean> {
  const { there, kept } = await storesOf(scene, stateful.mapping.target)
  const found = await Promise.all([there, kept].map((store) => listSnapshots(store, componentOf(stateful))))
  return found.flat().length > 0
}
