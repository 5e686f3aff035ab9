import type { Message } from '@davit/diagnostics'
import type { Deployed } from '@davit/observation'
import { RESTORES_FIRST } from '@davit/state-runner'
import { targetLabelOf } from '@davit/transition'

import { say } from '../messages.ts'

/**
 * Names the services that would be made anew if their state was removed by hand. Their modules report whether there is any, unless state is
 * restored before they are activated: then what is activated is something else, such as a process.
 */
export function perhapsGone(observed: Deployed['observed']): readonly Message[] {
  return observed
    .filter(({ doubt, component, declared }) => doubt === 'died' && component !== undefined && !isApart(declared))
    .map((one) => say('state-perhaps-gone', { service: one.service.name, target: targetLabelOf(one) }))
}

function isApart(declared: readonly string[] | undefined): boolean {
  return declared?.includes(RESTORES_FIRST) === true
}
