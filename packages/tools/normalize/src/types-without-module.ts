import { asDiagnostic, type Diagnostic, suggestionFor } from '@davit/diagnostics'
import type { Architecture, NormalizedService } from '@davit/documents'
import type { ArchitectureModel } from '@davit/normalization'

import { say } from './messages.ts'

/**
 * Warnings of types that have no module, each with the place of its first service. They are no errors yet: davit-manifest
 * may be given more modules. It refuses what has none then, but does not know any more where the models say what.
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
    const hint = suggestionFor(type, modules) ?? hintFor(modules)
    const message = say('type-without-module', { type, services, hint })
    return asDiagnostic(message, { path, ...(place === undefined ? {} : { place }) })
  })
}

function hintFor(modules: readonly string[]): string {
  return `there are modules for ${[...modules].sort().join(', ')}; --modules DIRECTORY adds yours`
}

/** Who provides a container may bring its module. */
function needsModule({ type, targets }: NormalizedService): boolean {
  return (
    type !== 'package' && targets.some(({ containerProvidedByService }) => containerProvidedByService === undefined)
  )
}
