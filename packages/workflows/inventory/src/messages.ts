import { messages, warning } from '@davit/diagnostics'

export const say = messages({
  /** Nothing is known of a target, since it cannot be reached or read. */
  'target-unknown': warning(
    { target: 'prefix', reason: 'text' },
    ({ reason }) => `cannot tell what is there: ${reason}`,
  ),
  /** The machine has services of this deployment under the name of a target that is not asked for, as after a target was renamed. */
  'records-of-other-target': warning(
    { target: 'prefix', other: 'text', services: 'texts' },
    ({ other, services }) => `this machine also has ${services.join(', ')} of a target '${other}', which is not listed`,
  ),
})
