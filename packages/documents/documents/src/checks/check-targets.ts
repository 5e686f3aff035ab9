import { atPath, type Diagnostic, type Path, suggestionFor } from '@davit/diagnostics'
import { describe } from '@davit/languages'
import type { Infrastructure } from '../infrastructure.ts'

/** Finds targets without their target property. */
export function checkTargets(targets: Infrastructure, path: Path = []): Diagnostic[] {
  return [...targets].flatMap(([name, { properties, targetProperty }]) => {
    if (properties.has(targetProperty)) return []
    const message = `target '${name}' has no property ${describe(targetProperty)}, which is needed to reach it`
    return [atPath([...path, name], message, suggestionFor(targetProperty, properties.keys()))]
  })
}
