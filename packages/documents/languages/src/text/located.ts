import type { Path, Place } from '@davit/diagnostics'
import type { Float } from '../float.ts'

/** The value of a YAML or JSON text; tables are Maps, so that `__proto__` is a name like any other. */
export type Data = null | string | number | boolean | Float | readonly Data[] | ReadonlyMap<string, Data>

/** A value read from a text, with the places of its parts. */
export interface Located<Value = Data> {
  readonly value: Value
  /** Place of the value; of its key if it is a list or table; of the innermost value around it if the path does not exist. */
  placeOf(path: Path): Place
  /** Place of the key that the last step of the path names. */
  placeOfKey(path: Path): Place
  /** Returns a number, truth value or null as it is written, if its value gives another text: `0123`, `True`, `~`. */
  writtenAt(path: Path): string | undefined
}

/** Offsets of a value and its parts, in UTF-16 units. */
export interface LocatedNode {
  readonly offset: number
  /** Text of a number, truth value or null as it is written; always if it is asked for, otherwise if its value gives another text. */
  readonly written?: string
  readonly keyOffset?: number
  readonly children?: ReadonlyMap<string | number, LocatedNode>
}

export interface SourceText {
  readonly file: string
  readonly text: string
  placeAt(offset: number): Place
  /** Line and column count from 1. */
  placeAtLine(line: number, column: number): Place
}

export function sourceText(text: string, file: string): SourceText {
  let known: readonly number[] | undefined
  const starts = () => (known ??= lineStarts(text))
  const placeAtLine = (line: number, column: number) => ({
    file,
    line,
    column,
    text: lineBetween(text, starts()[line - 1] ?? 0, (starts()[line] ?? text.length + 1) - 1),
  })
  return {
    file,
    text,
    placeAtLine,
    placeAt(offset) {
      const line = lastUpTo(starts(), offset)
      return placeAtLine(line + 1, offset - (starts()[line] ?? 0) + 1)
    },
  }
}

export function located<Value>(value: Value, root: LocatedNode, source: SourceText): Located<Value> {
  return {
    value,
    placeOf(path) {
      const node = nodeAt(root, path)
      return source.placeAt(node.children === undefined ? node.offset : (node.keyOffset ?? node.offset))
    },
    placeOfKey(path) {
      const node = nodeAt(root, path)
      return source.placeAt(node.keyOffset ?? node.offset)
    },
    writtenAt(path) {
      const parent = nodeAt(root, path.slice(0, -1))
      const [step] = path.slice(-1)
      return (step === undefined ? root : parent.children?.get(step))?.written
    },
  }
}

function nodeAt(root: LocatedNode, path: Path): LocatedNode {
  let node = root
  for (const step of path) {
    const child = node.children?.get(step)
    if (child === undefined) return node
    node = child
  }
  return node
}

function lineStarts(text: string): number[] {
  const starts = [0]
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) starts.push(end + 1)
  return starts
}

/** Returns the index of the last of ascending numbers that is not above a limit; -1 if all are. */
export function lastUpTo(numbers: readonly number[], limit: number): number {
  let low = -1
  let high = numbers.length
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((numbers[middle] ?? 0) <= limit) low = middle
    else high = middle
  }
  return low
}

/** Returns the line without a trailing carriage return. */
function lineBetween(text: string, start: number, end: number): string {
  return text.slice(start, text[end - 1] === '\r' ? end - 1 : end)
}
