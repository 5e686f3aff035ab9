import { quoted, suggestionFor } from '@davit/diagnostics'
import { capacitiesIn, type PlaceableModels } from '@davit/placement'
import { usageError } from '@davit/tool'

/** Refuses a capacity that no target has: it is misspelt, and all services would be told to have no place. */
export function refuseUnknownCapacity(
  capacity: string | undefined,
  models: Pick<PlaceableModels, 'infrastructure'>,
): void {
  if (capacity === undefined || models.infrastructure.size === 0) return
  const known = capacitiesIn(models)
  if (known.has(capacity)) return
  throw usageError(
    `--capacity: no target has a property ${quoted(capacity)} that is a number above zero`,
    suggestionFor(capacity, known) ?? `targets have ${[...known].toSorted().map(quoted).join(', ')}`,
  )
}
