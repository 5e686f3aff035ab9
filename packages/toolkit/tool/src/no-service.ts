import { DavitError, ExitStatus, suggestionFor } from '@davit/diagnostics'
import type { Manifest } from '@davit/documents'

/** The error about services that are on none of the targets that were asked; what should be there tells where else they are. */
export function noService(names: readonly string[], expected: Manifest | undefined): DavitError {
  const listed = names.map((name) => `'${name}'`).join(', ')
  return new DavitError('no-service', `there is no service ${listed} on these targets`, {
    exitStatus: ExitStatus.failed,
    hint: hintFor(names[0] ?? '', expected) ?? "'davit-query' lists the services that are active",
  })
}

function hintFor(name: string, expected: Manifest | undefined): string | undefined {
  if (expected === undefined) return undefined
  const { services, serviceMappings } = expected
  const places = serviceMappings.flatMap(({ service, target, container }) =>
    services.get(service)?.name === name ? [`in ${container} on '${target}'`] : [],
  )
  if (places.length === 0) return suggestionFor(name, new Set([...services.values()].map((service) => service.name)))
  const more = places.length > SHOWN ? `, and ${places.length - SHOWN} more` : ''
  return `'${name}' should be ${places.slice(0, SHOWN).join(', ')}${more}`
}

const SHOWN = 5
