import { messages, note } from '@davit/diagnostics'

export const say = messages({
  /** A changed property interrupts its service. */
  'service-interrupted': note(
    { service: 'text', property: 'text' },
    ({ service, property }) => `'${service}' is restarted: its property '${property}' has changed`,
  ),
})
