import type { Model, ModelSource } from './reading/model.ts'
import { type ByRole, type Role, rolesIn } from './reading/roles.ts'

/** A file that was read for models. */
export interface GivenSource extends ModelSource {
  /** Absent from files that models import. */
  readonly role?: Role
}

/** Returns what was read for models, each file once: the models in the order of their roles, then what they import by name. */
export function givenSources(models: ByRole<Model>): readonly GivenSource[] {
  const found = new Map<string, GivenSource>()
  for (const [role, model] of rolesIn(models)) {
    const [own] = model.sources()
    if (own !== undefined && !found.has(own.file)) found.set(own.file, { role, ...own })
  }
  const imported = rolesIn(models).flatMap(([, model]) => model.sources().slice(1))
  const byName = imported.toSorted((left, right) => (left.file < right.file ? -1 : 1))
  for (const source of byName) if (!found.has(source.file)) found.set(source.file, source)
  return [...found.values()]
}
