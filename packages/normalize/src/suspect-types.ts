import { type Diagnostic, suggestionFor } from '@davit/diagnostics'
import type { Architecture, NormalizedService } from '@davit/documents'
import type { ArchitectureModel } from '@davit/normalization'

/**
 * Warnings of types that are nearly called like a module of davit, with their places. Only davit-manifest knows all
 * modules, but no longer where the models say what.
 */
export function suspectTypes(
  { services }: Architecture,
  { modules, placeOf }: Pick<ArchitectureModel, 'placeOf'> & { readonly modules: readonly string[] },
): Diagnostic[] {
  return [...services].flatMap(([name, service]) => {
    const hint =
      needsModule(service) && !modules.includes(service.type) ? suggestionFor(service.type, modules) : undefined
    if (hint === undefined) return []
    const path = ['services', name, 'type']
    const place = placeOf(path)
    const message = `davit has no module for type '${service.type}'`
    return [{ severity: 'warning' as const, message, path, hint, ...(place === undefined ? {} : { place }) }]
  })
}

/** Who provides a container may bring its module. */
function needsModule({ type, targets }: NormalizedService): boolean {
  return (
    type !== 'package' && targets.some(({ containerProvidedByService }) => containerProvidedByService === undefined)
  )
}
