/** Part of a text: offsets of its first character and of the first after it. */
export interface Piece {
  readonly start: number
  readonly end: number
}

/** Length from which a piece ends before the next key, in characters. */
const ENOUGH = 2048

/**
 * Cuts a long text before keys of its outermost table, so that no piece is longer than needed. Returns undefined for a text that is
 * short, or has lines at its margin that are neither simple keys nor comments nor items of lists.
 */
export function piecesOf(text: string): readonly Piece[] | undefined {
  const pieces: Piece[] = []
  let start = 0
  for (let line = 0; line < text.length; line = nextLine(text, line)) {
    const kind = kindOf(text, line)
    if (kind === 'other') return undefined
    if (kind === 'inner' || line - start < ENOUGH) continue
    pieces.push({ start, end: line })
    start = line
  }
  return pieces.length === 0 ? undefined : [...pieces, { start, end: text.length }]
}

function nextLine(text: string, line: number): number {
  const end = text.indexOf('\n', line)
  return end === -1 ? text.length : end + 1
}

const KEY = /[A-Za-z_][\w.-]*:(?=[ \r\n]|$)/y
const INNER = /[ #\r\n]|-[ \r\n]/y

function kindOf(text: string, line: number): 'key' | 'inner' | 'other' {
  INNER.lastIndex = line
  if (INNER.test(text)) return 'inner'
  KEY.lastIndex = line
  return KEY.test(text) ? 'key' : 'other'
}
