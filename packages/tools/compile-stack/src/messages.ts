import { messages, note, warning } from '@davit/diagnostics'

export const say = messages({
  /** An argument of the stack stands more than once on the command line. */
  'argument-given-again': warning(
    { name: 'text' },
    ({ name }) => `the argument '${name}' is given more than once: the last one counts`,
  ),
  /** A changed property interrupts its service. */
  'service-interrupted': note(
    { service: 'text', property: 'text' },
    ({ service, property }) => `'${service}' is restarted: its property '${property}' has changed`,
  ),
})
