import { printable } from '@davit/diagnostics'

import { activitiesOf, type AnyActivity, isEmpty, type OutdatedMapping, type Transition } from './activity.ts'
import { KINDS, type KindTable, traitsOf } from './kinds.ts'
import { renderReason } from './reason.ts'

/** A line per step, in an order in which they could be done one by one, each with a newline. */
export function renderTransition<One extends AnyActivity>(transition: Transition<One>, kinds: KindTable<One>): string {
  const lines = [
    ...transition.skipped.map(({ message }) => message),
    ...activitiesOf(transition).map((activity) => renderActivity(activity, kinds)),
  ]
  if (isEmpty(transition)) lines.push('nothing to do')
  lines.push(...transition.outdated.map(renderOutdated))
  return printable(lines.map((line) => `${line}\n`).join(''))
}

export function renderOutdated({ mapping, service, changes }: OutdatedMapping): string {
  const reasons = changes.map((change) => renderReason(change, KINDS.activate.moved))
  return `keep ${service.name} in ${mapping.container} on ${mapping.target} as it is (${reasons.join('; ')})`
}

/** Of one step, with the target and the reasons. */
export function renderActivity<One extends AnyActivity>(activity: One, kinds: KindTable<One>): string {
  const { step, target, moved } = traitsOf(kinds, activity)
  const reasons = activity.reasons.map((reason) => renderReason(reason, moved))
  return `${step(activity)} on ${target(activity)} (${reasons.join('; ')})`
}
