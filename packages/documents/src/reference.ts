import { atPath, type Diagnostic, type Path, suggestionFor } from '@davit/diagnostics'

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
  return references
    .filter(({ name }) => !table.has(name))
    .map(({ path, name }) => atPath(path, `there is no ${what} '${name}'`, suggestionFor(name, table.keys())))
}
