import { quoted } from '@davit/diagnostics'
import type { TemplateFile } from '../template-file.ts'
import { type Cursor, failAt, nested, peekPastBlanks, take, takePastBlanks, unexpected } from './cursor.ts'
import type { BranchNode, CallNode, List, Node, ParsedTemplate } from './nodes.ts'
import { type FunctionNames, parsePipe, type PipeParser } from './parse-pipe.ts'
import type { Token } from './tokens.ts'
import { Variables } from './variables.ts'

/** Parses a template that may call these functions. */
export function parseText(file: TemplateFile, functions: FunctionNames): ParsedTemplate {
  const definitions = new Map<string, List>()
  const cursor: Cursor = { file, tokens: [], definitions, next: 0, lexed: 0, variables: new Variables('$'), depth: 0 }
  const { list, stop } = parseList({ cursor, functions }, 'top')
  if (stop.kind === 'keyword') failAt(cursor, stop, { message: `{{${stop.text}}} without a block that it belongs to` })
  return { file, root: list, definitions }
}

interface ParsedList {
  readonly list: List
  /** The keyword `end` or `else`, which has been passed, or the end of the file. */
  readonly stop: Token
}

function parseList(parser: PipeParser, level: 'top' | 'block'): ParsedList {
  const { cursor } = parser
  const list: Node[] = []
  for (;;) {
    const token = take(cursor)
    if (token.kind === 'end') return { list, stop: token }
    if (token.kind === 'text') {
      list.push({ kind: 'text', at: token.at, text: token.text })
      continue
    }
    const first = peekPastBlanks(cursor)
    if (first.kind === 'keyword') {
      cursor.next += 1
      if (first.text === 'end' || first.text === 'else') return { list, stop: first }
      const node = parseKeyword(parser, { open: token, keyword: first, level })
      if (node !== undefined) list.push(node)
    } else {
      list.push({ kind: 'action', at: token.at, pipe: parsePipe(parser, '{{ }}') })
    }
  }
}

interface Start {
  readonly open: Token
  readonly keyword: Token
}

function parseKeyword(parser: PipeParser, start: Start & { readonly level: 'top' | 'block' }): Node | undefined {
  const { keyword } = start
  switch (keyword.text) {
    case 'template':
      return parseCall(parser, start)
    case 'block':
      return parseBlock(parser, start)
    case 'define':
      if (start.level === 'top') return parseDefinition(parser, start)
      failAt(parser.cursor, keyword, {
        message: '{{define}} within a block',
        hint: 'definitions stand outside of all blocks',
      })
    default:
      return parseBranch(parser, { ...start, kind: keyword.text as BranchNode['kind'] })
  }
}

/** Parses from behind the keyword to behind the end of the block; variables that are declared in it end with it. */
function parseBranch(parser: PipeParser, { open, kind }: Start & Pick<BranchNode, 'kind'>): BranchNode {
  const { cursor } = parser
  const outside = cursor.variables.length
  const pipe = parsePipe(parser, kind)
  const { list: body, stop } = nested(cursor, open, () => parseList(parser, 'block'))
  const otherwise = isElse(stop) ? parseElse(parser, { open, kind, stop }) : ends(cursor, open, stop)
  cursor.variables.forgetSince(outside)
  return { kind, at: open.at, pipe, body, otherwise }
}

function isElse({ kind, text }: Token): boolean {
  return kind === 'keyword' && text === 'else'
}

/** Passes the end of a block. */
function ends(cursor: Cursor, open: Token, stop: Token): List {
  if (stop.kind !== 'keyword') {
    failAt(cursor, open, { message: 'this block has no {{end}}' })
  }
  if (stop.text !== 'end') failAt(cursor, stop, { message: `{{${stop.text}}} is unexpected here: expected {{end}}` })
  expectClose(cursor)
  return []
}

function expectClose(cursor: Cursor): void {
  const token = takePastBlanks(cursor)
  if (token.kind !== 'close') unexpected(cursor, token, "'}}'")
}

/** Parses what follows `else`: `if` begins a branch within, which ends with the same `{{end}}`. */
function parseElse(
  parser: PipeParser,
  { open, kind, stop }: { open: Token; kind: BranchNode['kind']; stop: Token },
): List {
  const { cursor } = parser
  const next = peekPastBlanks(cursor)
  if (kind === 'if' && next.kind === 'keyword' && next.text === 'if') {
    cursor.next += 1
    const start = { open: { ...stop, at: stop.at }, keyword: next, kind }
    return nested(cursor, stop, () => [parseBranch(parser, start)])
  }
  expectClose(cursor)
  const { list, stop: end } = nested(cursor, open, () => parseList(parser, 'block'))
  ends(cursor, open, end)
  return list
}

function parseName(cursor: Cursor, keyword: Token): string {
  const token = takePastBlanks(cursor)
  if (token.kind !== 'string') unexpected(cursor, token, `the name of a template in quotes after '${keyword.text}'`)
  return token.text
}

function parseCall(parser: PipeParser, { open, keyword }: Start): CallNode {
  const { cursor } = parser
  const name = parseName(cursor, keyword)
  if (peekPastBlanks(cursor).kind === 'close') {
    cursor.next += 1
    return { kind: 'template', at: open.at, name, pipe: undefined }
  }
  return { kind: 'template', at: open.at, name, pipe: parsePipe(parser, 'template') }
}

/** A block is a definition, and a call of it where it stands. */
function parseBlock(parser: PipeParser, { open, keyword }: Start): CallNode {
  const name = parseName(parser.cursor, keyword)
  const pipe = parsePipe(parser, 'block')
  parseBody(parser, { open, name })
  return { kind: 'template', at: open.at, name, pipe }
}

function parseDefinition(parser: PipeParser, { open, keyword }: Start): undefined {
  const name = parseName(parser.cursor, keyword)
  expectClose(parser.cursor)
  parseBody(parser, { open, name })
}

/** Parses the body of a definition, which sees no variables from outside. */
function parseBody(parser: PipeParser, { open, name }: { readonly open: Token; readonly name: string }): void {
  const { cursor } = parser
  const outside = cursor.variables
  cursor.variables = new Variables('$')
  const { list, stop } = nested(cursor, open, () => parseList(parser, 'block'))
  ends(cursor, open, stop)
  cursor.variables = outside
  const before = cursor.definitions.get(name)
  if (before !== undefined && !isEmpty(before) && !isEmpty(list)) {
    failAt(cursor, open, { message: `template ${quoted(name)} is defined twice` })
  }
  if (before === undefined || isEmpty(before)) cursor.definitions.set(name, list)
}

/** Whether there is nothing in definitions but white space; they are asked for at each definition of the same name. */
const EMPTY = new WeakMap<List, boolean>()

function isEmpty(body: List): boolean {
  const known = EMPTY.get(body)
  if (known !== undefined) return known
  const empty = body.every((node) => node.kind === 'text' && node.text.trim() === '')
  EMPTY.set(body, empty)
  return empty
}
