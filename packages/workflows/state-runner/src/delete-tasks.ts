import { type ActivityDefinition, readStateMark, type StateMark } from '@davit/target'
import type { StatefulService } from '@davit/transition'

import { doubtAbout, recordsByState } from './active-records.ts'
import { say } from './messages.ts'
import { performOn } from './perform-on.ts'
import { componentOf, named, needsOf, placeIn, type StateScene } from './scene.ts'
import { sharedUse } from './shared-use.ts'
import { type Departure, notTakenOver } from './taken-over.ts'
import type { StateTask } from './task.ts'

/**
 * Whether state is deleted now, or after it was moved, so that it cannot be told yet whether it is kept, or once a deployment has left what
 * is still in use.
 */
export type Deletion = 'now' | 'once-moved' | 'once-deployed'

/** Plans to delete the state that waits for it, and says which state does not. The target checks it once more. */
export async function deleteTasks(
  departures: readonly Departure[],
  scene: StateScene,
  when: Deletion = 'now',
): Promise<readonly StateTask[]> {
  const marked = await Promise.all(
    departures.map(async (one) => {
      const { target } = one.from.mapping
      const machine = await scene.machines.on(placeIn(scene, target))
      return { ...one, mark: await readStateMark(machine, { target, ...componentOf(one.from) }) }
    }),
  )
  const isLeft = ({ mark: { kind } }: MarkedDeparture) =>
    kind === 'garbage' || (kind === 'in-use' && when === 'once-deployed')
  for (const { from, mark } of marked.filter((one) => !isLeft(one))) {
    const { service, mapping } = from
    scene.report(
      say(mark.kind === 'in-use' ? 'state-in-use' : 'state-unknown', { service: service.name, target: mapping.target }),
    )
  }
  return marked.filter(isLeft).map((one) => deleting(one, scene, when))
}

interface MarkedDeparture extends Departure {
  readonly mark: StateMark
}

/** As the service used the state last: settings may have changed since, so that the module would delete something else. */
function deleting(departure: MarkedDeparture, scene: StateScene, when: Deletion): StateTask {
  const { from, mark } = departure
  const { definition } = mark
  const { mapping } = from
  const { target } = mapping
  const doubt = async () => (await doubtIn(departure, scene)) ?? (await useOf(from, definition, scene))
  return {
    stateful: from,
    target,
    steps: [
      {
        kind: 'delete',
        text: `delete the state of ${named(from)}`,
        where: `on ${target}`,
        details: async () => {
          const message = when === 'now' ? await doubt() : undefined
          return message === undefined ? [] : [`not yet: ${message}`]
        },
        needs: needsOf(from, scene, definition),
        async run() {
          const message = await doubt()
          if (message !== undefined) return { kind: 'failed', message }
          return performOn('collect-garbage', from, { scene })
        },
      },
    ],
  }
}

/** Says why the state, if others have it instead, is kept. That it was never taken over is no reason if it may be discarded. */
async function doubtIn({ from, successors }: Departure, scene: StateScene): Promise<string | undefined> {
  if (successors.length === 0) return undefined
  const left = scene.discards === true ? undefined : await notTakenOver({ from, successors }, scene)
  if (left !== undefined) return left
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
