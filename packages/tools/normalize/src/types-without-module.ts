import { asDiagnostic, type Diagnostic, suggestionFor } from '@davit/diagnostics'
import type { Architecture, NormalizedService } from '@davit/documents'
import type { ArchitectureModel } from '@davit/normalization'

import { say } from './messages.ts'

/**
 * Makes warnings for types without a module, each with the place of its first service. They are not errors yet:
 * davit-manifest may get more modules. It refuses the rest and lists all modules, but no longer knows places in the models.
 */
export function typesWithoutModule(
  { services }: Architecture,
  { modules, placeOf }: Pick<ArchitectureModel, 'placeOf'> & { readonly modules: readonly string[] },
): Diagnostic[] {
  const strange = [...services].filter(([, service]) => needsModule(service) && !modules.includes(service.type))
  const byType = new Map<string, string[]>()
  for (const [name, { type }] of strange) byType.set(type, [...(byType.get(type) ?? []), name])
  return [...byType].map(([type, services]) => {
    const path = ['services', services[0] ?? '', 'type']
    const place = placeOf(path)
    const hint = suggestionFor(type, modules) ?? 'add a module with --modules DIRECTORY'
    const message = say('type-without-module', { type, services, hint })
    return asDiagnostic(message, { path, ...(place === undefined ? {} : { place }) })
  })
}

/** A service that provides a container may bring its module. */
function needsModule({ type, targets }: NormalizedService): boolean {
  return (
    type !== 'package' && targets.some(({ containerProvidedByService }) => containerProvidedByService === undefined)
  )
}
