import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { ShellTarget } from '@davit/target'
import { isVerb } from '@davit/target-runtime'
import { activitiesOf, KINDS, targetLabelOf, traitsOf } from '@davit/transition'

import type { Plan } from '../plan-for.ts'

/** What decides whether targets can go back by themselves. */
interface Revertible extends Pick<Plan, 'transition'> {
  readonly deployed: {
    readonly places: ReadonlyMap<string, { readonly machine: Pick<ShellTarget['machine'], 'client'> }>
  }
}

/** Refuses a plan that its targets could not undo by stopping and starting services themselves. */
export function refuseTrial({ transition, deployed }: Revertible): void {
  const activities = activitiesOf(transition)
  const moving = activities.filter(({ kind }) => !isVerb(kind))
  if (moving.length > 0) {
    const steps = moving.map((one) => `${traitsOf(KINDS, one).step(one)} on '${targetLabelOf(one)}'`)
    throw refusal('state would move, which --confirm could not undo', steps, 'or with --no-migration')
  }
  const changed = new Set(activities.map(targetLabelOf))
  const clients = [...changed].filter((label) => deployed.places.get(label)?.machine.client !== undefined)
  if (clients.length > 0) {
    const reasons = clients.toSorted().map((label) => `'${label}' is reached through a client executable`)
    throw refusal('a client executable cannot have a machine go back by itself', reasons, 'or without these targets')
  }
}

function refusal(message: string, details: readonly string[], otherwise: string): DavitError {
  return new DavitError('not-revertible', message, {
    exitStatus: ExitStatus.usage,
    diagnostics: details.map((detail) => ({ severity: 'error', message: detail })),
    hint: `nothing was done; deploy this without --confirm, ${otherwise}`,
  })
}
