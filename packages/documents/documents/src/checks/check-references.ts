import { atPath, type Diagnostic, MAX_HINTS, type Path, suggestionFor } from '@davit/diagnostics'

/** A name in a document that is to be found in a table. */
export interface Reference {
  readonly path: Path
  readonly name: string
}

export interface ReferredTable {
  /** What the table holds: `target`. */
  readonly what: string
  readonly table: ReadonlyMap<string, unknown>
}

/** Those references whose table has no such name. */
export function checkReferences(references: readonly Reference[], { what, table }: ReferredTable): Diagnostic[] {
  const hints = new Map<string, string | undefined>()
  return references
    .filter(({ name }) => !table.has(name))
    .map(({ path, name }) => {
      if (!hints.has(name)) hints.set(name, hintFor(name, { table, given: hints.size }))
      return atPath(path, `there is no ${what} '${name}'`, hints.get(name))
    })
}

/** Hashes are not misspelt. */
function hintFor(name: string, { table, given }: { readonly table: ReferredTable['table']; readonly given: number }) {
  return /^[0-9a-f]{64}$/.test(name) || given >= MAX_HINTS ? undefined : suggestionFor(name, table.keys())
}
