import type { Message } from '@davit/diagnostics'

import type { AnyActivity, OutdatedMapping } from './activity.ts'
import { type KindTable, traitsOf } from './kinds.ts'
import { say } from './messages.ts'
import { renderReason } from './reason.ts'

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
    why: changes.map((change) => renderReason(change, 'from')),
  }
}
