import { type Message, messages, warning, quoted } from '@davit/diagnostics'

export const say = messages({
  /** A service is placed twice in the same container. It is deployed once; remove the other entry. */
  'placed-twice': warning(
    { service: 'text', container: 'text', target: 'text' },
    ({ service, container, target }) =>
      `service '${service}' is placed twice in container '${container}' on target '${target}'`,
  ),
  /**
   * Services of the models are not placed on any target, and are not deployed. Place them, or give them an empty list
   * to confirm that.
   */
  'placed-nowhere': warning({ services: 'texts', hint: 'hint' }, ({ services }) => unplacedText(services)),
  /**
   * Two services provide a container of the same name on one target, and only one of them is used. Rename one of the
   * containers, or move a service.
   */
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
