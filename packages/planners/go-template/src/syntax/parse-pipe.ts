import { quoted, suggestionFor } from '@davit/diagnostics'
import { type Cursor, failAt, nested, peek, peekPastBlanks, take, takePastBlanks, unexpected } from './cursor.ts'
import type { Command, Field, Operand, Pipe } from './nodes.ts'
import type { Token } from './tokens.ts'

/** Knows which functions there are. */
export type FunctionNames = ReadonlyMap<string, unknown>

export interface PipeParser {
  readonly cursor: Cursor
  readonly functions: FunctionNames
}

/** Parses a pipe up to the end of its action, which it passes, or to the parenthesis around it, which it does not. */
export function parsePipe(parser: PipeParser, context: string): Pipe {
  const { cursor } = parser
  const { at } = peekPastBlanks(cursor)
  const declares = parseDeclarations(cursor, context)
  const commands: Command[] = []
  for (let token = peekPastBlanks(cursor); !endsPipe(token); token = peekPastBlanks(cursor)) {
    const command = parseCommand(parser)
    if (commands.length > 0 && !canBeCalled(command[0])) {
      failAt(cursor, token, {
        message: `what comes after '|' must be a function`,
        hint: 'the value before it is its last argument',
      })
    }
    commands.push(command)
  }
  if (commands.length === 0) failAt(cursor, peek(cursor), { message: `expected a value in '${context}'` })
  if (peek(cursor).kind === 'close') cursor.next += 1
  return { kind: 'pipe', at, declares, commands }
}

function endsPipe({ kind }: Token): boolean {
  return kind === 'close' || kind === ')'
}

function canBeCalled({ kind }: Operand): boolean {
  return kind !== 'constant' && kind !== 'dot' && kind !== 'nil'
}

/** Parses `$x :=`, or `$index, $element :=` of a range. */
function parseDeclarations(cursor: Cursor, context: string): readonly string[] {
  const declared: string[] = []
  for (;;) {
    const declaration = parseDeclaration(cursor)
    if (declaration === undefined) break
    declared.push(declaration.variable)
    if (declaration.mark.kind === ':=') {
      cursor.variables.declare(declared)
      return declared
    }
    if (context !== 'range' || declared.length > 1) {
      failAt(cursor, declaration.mark, { message: 'more variables than there are values' })
    }
  }
  if (declared.length > 0) unexpected(cursor, peek(cursor), "a variable and ':='")
  return declared
}

/** Parses a variable and the mark behind it; passes nothing if the variable is not declared, but used. */
function parseDeclaration(cursor: Cursor): { readonly variable: string; readonly mark: Token } | undefined {
  const { kind, text } = peekPastBlanks(cursor)
  if (kind !== 'variable') return undefined
  const before = cursor.next
  cursor.next += 1
  const mark = takePastBlanks(cursor)
  if (mark.kind === ':=' || (mark.kind === 'other' && mark.text === ',')) return { variable: text, mark }
  cursor.next = before
  return undefined
}

/** Parses operands up to the end of the pipe, or through the next `|`. */
function parseCommand(parser: PipeParser): Command {
  const { cursor } = parser
  const first = parseOperand(parser)
  if (first === undefined) unexpected(cursor, peek(cursor), 'a value or a function')
  const others: Operand[] = []
  for (let next = peek(cursor); !endsPipe(next); next = peek(cursor)) {
    cursor.next += 1
    if (next.kind === '|') break
    if (next.kind !== 'space') unexpected(cursor, next, "a blank, '|' or '}}'")
    const operand = parseOperand(parser)
    if (operand !== undefined) others.push(operand)
  }
  return [first, ...others]
}

/** Parses a term and the fields behind it. */
function parseOperand(parser: PipeParser): Operand | undefined {
  const { cursor } = parser
  const of = parseTerm(parser)
  if (of === undefined || peek(cursor).kind !== 'field') return of
  if (!canBeCalled(of)) failAt(cursor, peek(cursor), { message: 'this value has no fields' })
  const fields: Field[] = of.kind === 'field' ? [...of.fields] : []
  while (peek(cursor).kind === 'field') fields.push(fieldOf(take(cursor)))
  return { kind: 'field', at: of.at, fields, of: of.kind === 'field' ? of.of : of }
}

function fieldOf({ at, text }: Token): Field {
  return { at, name: text }
}

/** What functions are called elsewhere. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['list', 'tuple'],
  ['toJson', 'json'],
  ['toYaml', 'yaml'],
  ['toString', 'print'],
  ['fail', 'panic'],
])

function hintForFunction(name: string, functions: FunctionNames): string | undefined {
  const other = OTHER_NAMES.get(name) ?? ''
  return functions.has(other) ? `did you mean '${other}'?` : suggestionFor(name, functions.keys())
}

function parseTerm(parser: PipeParser): Operand | undefined {
  const { cursor } = parser
  const token = peek(cursor)
  const { kind, at, text } = token
  if (kind === '(') return parseParentheses(parser, token)
  const term = termOf(token)
  if (term === undefined) return undefined
  cursor.next += 1
  if (kind === 'name' && !parser.functions.has(text)) {
    failAt(cursor, token, {
      message: `there is no function ${quoted(text)}`,
      hint: peek(cursor).kind === 'field' ? `did you mean '.${text}'?` : hintForFunction(text, parser.functions),
    })
  }
  if (kind === 'variable' && !cursor.variables.has(text)) {
    failAt(
      cursor,
      { at },
      { message: `no variable ${quoted(text)} is declared here`, hint: suggestionFor(text, cursor.variables.names) },
    )
  }
  return term
}

function termOf(token: Token): Operand | undefined {
  const { kind, at, text } = token
  switch (kind) {
    case 'dot':
    case 'nil':
      return { kind, at }
    case 'field':
      return { kind, at, fields: [fieldOf(token)], of: { kind: 'dot', at } }
    case 'variable':
      return { kind, at, name: text }
    case 'name':
      return { kind: 'function', at, name: text }
    case 'string':
      return { kind: 'constant', at, value: text }
    case 'number':
      return { kind: 'constant', at, value: Number(text) }
    case 'boolean':
      return { kind: 'constant', at, value: text === 'true' }
    default:
      return undefined
  }
}

function parseParentheses(parser: PipeParser, open: Token): Operand {
  const { cursor } = parser
  cursor.next += 1
  const pipe = nested(cursor, open, () => parsePipe(parser, '( )'))
  take(cursor)
  return pipe
}
