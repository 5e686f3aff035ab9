import { type Message, printable } from '@davit/diagnostics'

import { activitiesOf, type AnyActivity, isEmpty, type OutdatedMapping, type Transition } from './activity.ts'
import { KINDS, type KindTable, traitsOf } from './kinds.ts'
import { keptText, say, stepText } from './messages.ts'
import { renderReason } from './reason.ts'

/** Renders a plan: a line per step, each with a newline, in an order in which they can be done one by one. */
export function renderTransition<One extends AnyActivity>(transition: Transition<One>, kinds: KindTable<One>): string {
  const lines = [
    ...transition.skipped.map(remarkText),
    ...activitiesOf(transition).map((activity) => stepText(factsOf(activity, kinds))),
  ]
  if (isEmpty(transition)) lines.push('nothing to do')
  lines.push(...transition.outdated.map((outdated) => keptText(keptFacts(outdated))))
  return printable(lines.map((line) => `${line}\n`).join(''))
}

type Remark = Pick<Message, 'kind' | 'message' | 'target'>

/** What a plan says besides its steps, as a line like that of a run. */
export function remarkText({ kind, message, target }: Remark): string {
  const told = kind === 'warning' ? `warning: ${message}` : message
  return target === undefined ? told : `[${target}] ${told}`
}

/** Makes the message for a step of a plan. */
export function plannedMessage<One extends AnyActivity>(activity: One, kinds: KindTable<One>): Message {
  return say('activity-planned', factsOf(activity, kinds))
}

/** Makes the message for a service that stays active with outdated settings. */
export function outdatedMessage(outdated: OutdatedMapping): Message {
  return say('kept-outdated', keptFacts(outdated))
}

/** What is said about a step of a plan, for programs; `stepText` makes a sentence of it. */
export function factsOf<One extends AnyActivity>(activity: One, kinds: KindTable<One>) {
  const { step, target, moved, subject } = traitsOf(kinds, activity)
  return {
    activity: activity.kind,
    step: step(activity),
    target: target(activity),
    ...subject(activity),
    reasons: activity.reasons.map(({ kind }) => kind),
    why: activity.reasons.map((reason) => renderReason(reason, moved)),
  }
}

/** What is said about a service that stays active with outdated settings, for programs; `keptText` makes a sentence of it. */
export function keptFacts({ mapping, service, changes }: OutdatedMapping) {
  return {
    service: service.name,
    container: mapping.container,
    target: mapping.target,
    reasons: changes.map(({ kind }) => kind),
    why: changes.map((change) => renderReason(change, KINDS.activate.moved)),
  }
}
