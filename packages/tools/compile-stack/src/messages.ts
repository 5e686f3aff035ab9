import { messages, note, warning } from '@davit/diagnostics'

export const say = messages({
  /** What is deployed comes from a stack of another name: all of that is undeployed. */
  'stack-replaced': warning(
    { deployed: 'text', stack: 'text', hint: 'hint' },
    ({ deployed, stack }) => `stack '${deployed}', which is deployed, is replaced by '${stack}'`,
  ),
  /** A changed property interrupts its service. */
  'service-interrupted': note(
    { service: 'text', property: 'text' },
    ({ service, property }) => `'${service}' is restarted: its property '${property}' has changed`,
  ),
})
