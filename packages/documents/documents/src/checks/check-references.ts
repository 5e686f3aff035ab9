import { atPath, type Diagnostic, MAX_HINTS, type Path, suggestionFor } from '@davit/diagnostics'

/** A name in a document that must be in a table. */
export interface Reference {
  readonly path: Path
  readonly name: string
}

export interface ReferredTable {
  /** Kind of the table's entries, for messages: `target`. */
  readonly what: string
  readonly table: ReadonlyMap<string, unknown>
}

/** Finds the references to names that the table does not have. */
export function checkReferences(references: readonly Reference[], { what, table }: ReferredTable): Diagnostic[] {
  const hints = new Map<string, string | undefined>()
  return references
    .filter(({ name }) => !table.has(name))
    .map(({ path, name }) => {
      if (!hints.has(name)) hints.set(name, hintFor(name, { table, given: hints.size }))
      return atPath(path, `there is no ${what} '${name}'`, hints.get(name))
    })
}

/** Suggests a similar name; not for hashes, which nobody misspells. */
function hintFor(name: string, { table, given }: { readonly table: ReferredTable['table']; readonly given: number }) {
  return /^[0-9a-f]{64}$/.test(name) || given >= MAX_HINTS ? undefined : suggestionFor(name, table.keys())
}
