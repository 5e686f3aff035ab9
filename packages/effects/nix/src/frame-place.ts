import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Place } from '@davit/diagnostics'
import type { ExpressionProgram } from '@davit/documents'

/** A position in a text, as Nix states it. */
export interface Position {
  readonly file?: string
  readonly line?: number
  /** In bytes, from 1. */
  readonly column?: number
}

/** Place of a position in the user's files or expressions; nothing if it is in the program's own directory, or unknown. */
export function placeInProgram(position: Position, program: ExpressionProgram): Place | undefined {
  const { file, line = 1, column = 1 } = position
  if (file === undefined) return undefined
  const found = sourceOf(file, program)
  if (found === undefined) return undefined
  const show = program.showFile ?? ((name) => name)
  const place = { file: show(found.name), line }
  const text = found.source.split('\n')[line - 1]
  if (text === undefined) return { ...place, column }
  const before = Buffer.from(text).subarray(0, column - 1)
  return { ...place, column: before.toString().length + 1, text }
}

/** Finds the text of a position. Nix names an expression by its whole text. */
function sourceOf(
  file: string,
  { file: own, expressions }: ExpressionProgram,
): { readonly name: string; readonly source: string } | undefined {
  const [expression] = [...expressions].find(([, text]) => text === file) ?? []
  if (expression !== undefined) return { name: expression, source: file }
  if (!file.startsWith('/') || dirname(file) === dirname(own)) return undefined
  try {
    return { name: file, source: readFileSync(file, 'utf8') }
  } catch {
    return undefined
  }
}
