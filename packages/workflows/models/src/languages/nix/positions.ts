import type { Path } from '@davit/diagnostics'

/** A position as Nix reports it; the column counts bytes. */
export interface NixPosition {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** Returns the position of the innermost value on a path that has one; `positions` is the decoded result of a program. */
export function positionOf(positions: unknown, path: Path): NixPosition | undefined {
  let found: NixPosition | undefined
  let members = positions
  for (const step of path) {
    const entry: unknown = members instanceof Map ? members.get(step) : itemOf(members, step)
    if (!Array.isArray(entry)) return found
    const [text, inner] = entry as readonly unknown[] as readonly [string | null, unknown]
    found = parsePosition(text) ?? found
    members = inner
  }
  return found
}

function itemOf(members: unknown, step: string | number): unknown {
  return Array.isArray(members) && typeof step === 'number' ? members[step] : undefined
}

export function parsePosition(text: string | null): NixPosition | undefined {
  const [, line, column, file] = /^(\d+):(\d+):(.*)$/s.exec(text ?? '') ?? []
  return file === undefined ? undefined : { file, line: Number(line), column: Number(column) }
}
