import { MAX_DOCUMENT_DEPTH } from '../text/limits.ts'

/**
 * Tells whether a text needs no second look, given what JSON.parse makes of it: the keys of each table are in order, as programs write
 * them, so that none occurs twice, and all numbers are whole and short. The keys of the root may be in any order, and are counted.
 */
export function isOrderly(text: string, data: unknown): boolean {
  const scan: Scan = { text, at: 0, escape: escapeFrom(text, 0), starts: [0], ends: [0], depth: 0, roots: 0 }
  for (; scan.at < text.length; scan.at += 1) {
    switch (KINDS[text.charCodeAt(scan.at)]) {
      case QUOTE:
        if (!passText(scan)) return false
        break
      case DIGIT:
        if (!passNumber(scan)) return false
        break
      case OPENING:
        if (scan.depth === MAX_DOCUMENT_DEPTH) return false
        scan.depth += 1
        scan.starts[scan.depth] = 0
        scan.ends[scan.depth] = 0
        break
      case CLOSING:
        scan.depth -= 1
        break
      default:
        break
    }
  }
  return scan.roots === Object.keys(data ?? {}).length
}

interface Scan {
  readonly text: string
  /** Offset of what is read next. */
  at: number
  /** Offset of the next backslash. */
  escape: number
  depth: number
  /** Offsets of the last key at each depth; both are 0 before the first one. */
  readonly starts: number[]
  readonly ends: number[]
  /** Number of keys of the root. */
  roots: number
}

const [QUOTE, DIGIT, OPENING, CLOSING] = [1, 2, 3, 4]

/** Kinds of characters by their codes. */
const KINDS = new Uint8Array(128)
for (const [characters, kind] of [
  ['"', QUOTE],
  ['-0123456789', DIGIT],
  ['{[', OPENING],
  ['}]', CLOSING],
] as const)
  for (const character of characters) KINDS[character.charCodeAt(0)] = kind

function passText(scan: Scan): boolean {
  const { text } = scan
  const start = scan.at + 1
  let end = text.indexOf('"', start)
  const hasEscape = scan.escape < end
  while (scan.escape < end) {
    // What follows a backslash belongs to it.
    if (scan.escape === end - 1) end = text.indexOf('"', end + 1)
    scan.escape = escapeFrom(text, scan.escape + 2)
  }
  scan.at = end
  return !isKey(text, end + 1) || (!hasEscape && passKey(scan, start, end))
}

function escapeFrom(text: string, offset: number): number {
  const found = text.indexOf('\\', offset)
  return found === -1 ? Infinity : found
}

const COLON = 0x3a
const BLANK = 0x20

function isKey(text: string, after: number): boolean {
  let at = after
  while (text.charCodeAt(at) <= BLANK) at += 1
  return text.charCodeAt(at) === COLON
}

function passKey(scan: Scan, start: number, end: number): boolean {
  const { depth, starts, ends } = scan
  if (depth === 1) scan.roots += 1
  else if (!isAfterLast(scan, start, end)) return false
  starts[depth] = start
  ends[depth] = end
  return true
}

function isAfterLast({ text, depth, starts, ends }: Scan, start: number, end: number): boolean {
  const [last = 0, lastEnd = 0] = [starts[depth], ends[depth]]
  for (let offset = 0; last + offset < lastEnd; offset += 1) {
    const difference = text.charCodeAt(last + offset) - text.charCodeAt(start + offset)
    if (difference !== 0 || start + offset === end) return difference < 0 && start + offset < end
  }
  return start + lastEnd - last < end
}

const LONGEST = 15
/** What makes a number one with a fraction or an exponent. */
const FRACTION = /[.eE]/

function passNumber(scan: Scan): boolean {
  const { text, at } = scan
  let end = at + 1
  while (KINDS[text.charCodeAt(end)] === DIGIT) end += 1
  scan.at = end - 1
  return end - at <= LONGEST && !FRACTION.test(text.charAt(end))
}
