import type { Diagnostic } from '@davit/diagnostics'
import { describe } from '../text/describe.ts'
import type { Data, LocatedNode, SourceText } from '../text/located.ts'
import { parseNumber } from '../text/parse-number.ts'
import type { Branch } from '../text/tree.ts'
import { Float } from '../float.ts'

export interface JsonOptions {
  readonly maxDepth: number
  /** Whether numbers, truth values and null keep their text; then numbers need not be exact. */
  readonly keepsText: boolean
}

export interface JsonText extends JsonOptions {
  readonly source: SourceText
  /** Receives keys that occur twice, and numbers that are not exact or out of range. */
  readonly problems: Diagnostic[]
}

/** Reads strict JSON with the offsets of all values. Returns undefined where the syntax is wrong or nests too deeply. */
export function scanJson(json: JsonText): Branch | undefined {
  const scan: Scan = { ...json, text: json.source.text, offset: 0 }
  const root = scanValue(scan, 0)
  skipBlanks(scan)
  return scan.offset === scan.text.length ? root : undefined
}

interface Scan extends JsonText {
  readonly text: string
  /** Where to read on. */
  offset: number
}

/** Reads a value that `depth` lists and tables are around. */
function scanValue(scan: Scan, depth: number, keyOffset?: number): Branch | undefined {
  skipBlanks(scan)
  const { text, offset, maxDepth } = scan
  const at = keyOffset === undefined ? { offset } : { offset, keyOffset }
  const first = text[offset]
  if (first === '"') {
    const data = scanText(scan)
    return data === undefined ? undefined : { data, node: at }
  }
  if (first !== '{' && first !== '[') return scanWord(scan, at)
  if (depth === maxDepth) return undefined
  scan.offset += 1
  return first === '{' ? scanTable(scan, depth + 1, at) : scanList(scan, depth + 1, at)
}

function scanTable(scan: Scan, depth: number, at: LocatedNode): Branch | undefined {
  const data = new Map<string, Data>()
  const children = new Map<string, LocatedNode>()
  if (takes(scan, '}')) return { data, node: { ...at, children } }
  do {
    skipBlanks(scan)
    const keyOffset = scan.offset
    const key = scanText(scan)
    if (key === undefined || !takes(scan, ':')) return undefined
    if (data.has(key)) refuse(scan, keyOffset, `key ${describe(key)} occurs twice`)
    const member = scanValue(scan, depth, keyOffset)
    if (member === undefined) return undefined
    data.set(key, member.data)
    children.set(key, member.node)
  } while (takes(scan, ','))
  return takes(scan, '}') ? { data, node: { ...at, children } } : undefined
}

function scanList(scan: Scan, depth: number, at: LocatedNode): Branch | undefined {
  const data: Data[] = []
  const children = new Map<number, LocatedNode>()
  if (takes(scan, ']')) return { data, node: { ...at, children } }
  do {
    const item = scanValue(scan, depth)
    if (item === undefined) return undefined
    children.set(data.length, item.node)
    data.push(item.data)
  } while (takes(scan, ','))
  return takes(scan, ']') ? { data, node: { ...at, children } } : undefined
}

/** Takes a mark if it is next. */
function takes(scan: Scan, mark: string): boolean {
  skipBlanks(scan)
  if (scan.text[scan.offset] !== mark) return false
  scan.offset += 1
  return true
}

function skipBlanks(scan: Scan): void {
  while (isBlank(scan.text.charCodeAt(scan.offset))) scan.offset += 1
}

/** Spaces, ends of lines and tabs; others are no blanks in JSON. */
function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09
}

/** Texts without backslashes and control characters. */
const UNESCAPED = /^[ -[\]-\uFFFF]*$/

/** Reads a text in quotes, if there is one. */
function scanText(scan: Scan): string | undefined {
  const { text, offset } = scan
  if (text[offset] !== '"') return undefined
  let end = text.indexOf('"', offset + 1)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  if (end === -1) return undefined
  scan.offset = end + 1
  const written = text.slice(offset + 1, end)
  return UNESCAPED.test(written) ? written : unescaped(written)
}

function isEscaped(text: string, offset: number): boolean {
  let start = offset
  while (text[start - 1] === '\\') start -= 1
  return (offset - start) % 2 === 1
}

function unescaped(written: string): string | undefined {
  try {
    return JSON.parse(`"${written}"`) as string
  } catch {
    return undefined
  }
}

const WORD = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
])

/** Reads a number, truth value or null. */
function scanWord(scan: Scan, at: LocatedNode): Branch | undefined {
  WORD.lastIndex = scan.offset
  const [written] = WORD.exec(scan.text) ?? []
  if (written === undefined) return undefined
  scan.offset += written.length
  const known = WORDS.get(written)
  if (!scan.keepsText) return { data: known === undefined ? numberOf(written, scan, at) : known, node: at }
  const data = known === undefined ? Number(written) : known
  if (typeof data === 'number' && !Number.isFinite(data)) refuse(scan, at.offset, `${written} is out of range`)
  return { data, node: { ...at, written } }
}

function numberOf(written: string, scan: Scan, { offset }: LocatedNode): number | Float {
  const number = parseNumber(written)
  if (typeof number === 'number' || number instanceof Float) return number
  refuse(scan, offset, number.problem)
  return 0
}

function refuse({ source, problems }: Scan, offset: number, message: string): void {
  problems.push({ severity: 'error', message, place: source.placeAt(offset) })
}
