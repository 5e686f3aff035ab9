import { printable } from '@davit/diagnostics'

import { type Activity, isEmpty, type OutdatedMapping, stepOf, type Transition } from './activity.ts'
import { renderReason } from './reason.ts'

/** A line per step, in an order in which they could be done one by one, each with a newline. */
export function renderTransition(transition: Transition): string {
  const lines = [
    ...transition.skipped.map(({ message }) => message),
    ...[...transition.deactivations, ...transition.activations].map(renderActivity),
  ]
  if (isEmpty(transition)) lines.push('nothing to do')
  lines.push(...transition.outdated.map(renderOutdated))
  return printable(lines.map((line) => `${line}\n`).join(''))
}

export function renderOutdated({ mapping, service, changes }: OutdatedMapping): string {
  const reasons = changes.map((change) => renderReason(change, 'activate'))
  return `keep ${service.name} in ${mapping.container} on ${mapping.target} as it is (${reasons.join('; ')})`
}

/** Of one step, with the target and the reasons. */
export function renderActivity(activity: Activity): string {
  const reasons = activity.reasons.map((reason) => renderReason(reason, activity.kind))
  return `${stepOf(activity)} on ${activity.mapping.target} (${reasons.join('; ')})`
}
