import type { Diagnostic } from '@davit/diagnostics'
import { type JSONVisitor, type ParseError, visit } from 'jsonc-parser'
import { Float } from '../float.ts'
import { asWritten } from '../text/as-written.ts'
import { describe } from '../text/describe.ts'
import type { Data, LocatedNode, SourceText } from '../text/located.ts'
import { parseNumber } from '../text/parse-number.ts'
import type { Branch } from '../text/tree.ts'

/**
 * What becomes of numbers, truth values and null: they are `exact`, so that other numbers are refused; or they are text where their value
 * would not be written like that (`as-written`); or they keep their text beside the value (`with-text`).
 */
export type JsonScalars = 'exact' | 'as-written' | 'with-text'

export interface JsonText {
  readonly source: SourceText
  readonly scalars: JsonScalars
}

export interface JsonScan {
  /** Not to be used if there are errors. */
  readonly root: Branch | undefined
  /** Errors in the syntax; those after the first are mostly its consequences. */
  readonly errors: readonly ParseError[]
  /** Keys that occur twice, and numbers that are not exact or out of range. */
  readonly problems: readonly Diagnostic[]
}

/** Reads strict JSON with the offsets of all values in one pass. A text that nests too deeply overflows the stack. */
export function scanJson(json: JsonText): JsonScan {
  const scan: Scan = { ...json, around: [], root: undefined, errors: [], problems: [] }
  visit(json.source.text, visitorFor(scan), { disallowComments: true, allowTrailingComma: false })
  return scan
}

interface Scan extends JsonText {
  /** Tables and lists that are being read, outer ones first. */
  readonly around: Open[]
  root: Branch | undefined
  readonly errors: ParseError[]
  readonly problems: Diagnostic[]
}

/** A list, or a table and the key that was read last. */
interface Open {
  readonly data: Data[] | Map<string, Data>
  readonly children: Map<string | number, LocatedNode>
  key: string
  keyOffset: number | undefined
}

function visitorFor(scan: Scan): JSONVisitor {
  const leave = () => void scan.around.pop()
  return {
    onObjectBegin: (offset) => enter(scan, offset, new Map()),
    onObjectProperty: (key, offset) => enterKey(scan, key, offset),
    onObjectEnd: leave,
    onArrayBegin: (offset) => enter(scan, offset, []),
    onArrayEnd: leave,
    onLiteralValue: (value: Literal, offset, length) => addLiteral(scan, value, { offset, length }),
    onError: (error, offset, length) => void scan.errors.push({ error, offset, length }),
  }
}

function enter(scan: Scan, offset: number, data: Open['data']): void {
  const children = new Map<string | number, LocatedNode>()
  add(scan, data, { ...nodeAt(scan, offset), children })
  scan.around.push({ data, children, key: '', keyOffset: undefined })
}

function enterKey(scan: Scan, key: string, offset: number): void {
  const open = scan.around.at(-1)
  if (open === undefined) return
  if (open.children.has(key)) refuse(scan, offset, `key ${describe(key)} occurs twice`)
  open.key = key
  open.keyOffset = offset
}

type Literal = string | number | boolean | null

function addLiteral(scan: Scan, value: Literal, { offset, length }: { offset: number; length: number }): void {
  const node = nodeAt(scan, offset)
  if (typeof value === 'string') return add(scan, value, node)
  const written = scan.source.text.slice(offset, offset + length)
  if (scan.scalars === 'exact')
    return add(scan, typeof value === 'number' ? numberOf(scan, offset, written) : value, node)
  if (scan.scalars === 'as-written') {
    const branch = asWritten(value, written, node)
    return add(scan, branch.data, branch.node)
  }
  if (typeof value === 'number' && !Number.isFinite(value)) refuse(scan, offset, `${written} is out of range`)
  add(scan, value, { ...node, written })
}

function numberOf(scan: Scan, offset: number, written: string): number | Float {
  const number = parseNumber(written)
  if (typeof number === 'number' || number instanceof Float) return number
  refuse(scan, offset, number.problem)
  return 0
}

function add(scan: Scan, data: Data, node: LocatedNode): void {
  const open = scan.around.at(-1)
  if (open === undefined) {
    scan.root = { data, node }
  } else if (open.data instanceof Map) {
    open.data.set(open.key, data)
    open.children.set(open.key, node)
  } else {
    open.children.set(open.data.length, node)
    open.data.push(data)
  }
}

function nodeAt({ around }: Scan, offset: number): LocatedNode {
  const keyOffset = around.at(-1)?.keyOffset
  return keyOffset === undefined ? { offset } : { offset, keyOffset }
}

function refuse({ source, problems }: Scan, offset: number, message: string): void {
  problems.push({ severity: 'error', message, place: source.placeAt(offset) })
}
