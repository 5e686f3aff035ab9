import { type Message, messages, warning } from '@davit/diagnostics'

import { quoted } from './names.ts'

export const say = messages({
  'placed-twice': warning(
    { service: 'text', container: 'text', target: 'text' },
    ({ service, container, target }) =>
      `service '${service}' is placed twice in container '${container}' on target '${target}'`,
  ),
  'placed-nowhere': warning({ services: 'texts', hint: 'hint' }, ({ services }) => unplacedText(services)),
  'container-provided-twice': warning(
    { container: 'text', target: 'text', provider: 'text', hint: 'hint' },
    ({ container, target, provider }) =>
      `container '${container}' on target '${target}' is already provided by '${provider}'`,
  ),
})

/** Warning about services that are in the models but are not deployed. */
export function placedNowhere(services: readonly string[], hint: string): Message {
  return say('placed-nowhere', { services, hint })
}

const MAX_LISTED = 5

function unplacedText(services: readonly string[]): string {
  const [first, ...others] = services
  if (others.length === 0) return `service '${first}' is not placed on any target`
  const more = services.length - MAX_LISTED
  const listed = services.slice(0, MAX_LISTED).map(quoted).join(', ')
  return `${services.length} services are not placed on any target: ${listed}${more > 0 ? ` and ${more} more` : ''}`
}
