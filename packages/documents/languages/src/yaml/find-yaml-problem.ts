import type { Diagnostic } from '@davit/diagnostics'
import { type Document, isMap, isPair, isScalar, isSeq, type YAMLParseError, type YAMLWarning } from 'yaml'
import type { SourceText } from '../text/located.ts'

/** Finds the first syntax error of a YAML text; the ones after it are mostly its consequences. */
export function findYamlProblem(document: Document, source: SourceText): Diagnostic | undefined {
  const { errors, warnings, directives } = document
  // The parser only warns of unknown tags; `buildYaml` refuses them.
  const all = [...errors, ...warnings.filter(({ code }) => code !== 'TAG_RESOLVE_FAILED')]
  const first = all.toSorted((left, right) => left.pos[0] - right.pos[0])[0]
  if (directives?.yaml.version !== '1.2') {
    return { severity: 'error', message: 'davit reads YAML 1.2 only', place: source.placeAt(0) }
  }
  if (first === undefined) return undefined
  const hasHere = (wanted: string) => all.some(({ code, pos }) => code === wanted && pos[0] === first.pos[0])
  const isContinued = hasHere('MULTILINE_IMPLICIT_KEY')
  const isInBrackets = hasHere('BLOCK_IN_FLOW')
  const { offset, message, hint } = problemOf(first, { document, source, isContinued, isInBrackets })
  const place = source.placeAt(Math.min(offset, source.text.length))
  return { severity: 'error', message, place, ...(hint === undefined ? {} : { hint }) }
}

interface Problem {
  readonly offset: number
  readonly message: string
  readonly hint?: string
}

interface Around {
  readonly document: Document
  readonly source: SourceText
  /** Whether a would-be key continues on the next line. */
  readonly isContinued: boolean
  /** Whether a would-be key is within brackets. */
  readonly isInBrackets: boolean
}

function problemOf(error: YAMLParseError | YAMLWarning, around: Around): Problem {
  const { code, message, pos } = error
  const [offset] = pos
  if (code === 'BLOCK_AS_IMPLICIT_KEY' && around.isContinued) return nextLineProblem(offset, around)
  if (code === 'MULTILINE_IMPLICIT_KEY' && !around.isInBrackets) return keyProblem(offset, around)
  if (/^All (?:mapping|sequence) items must start/.test(message)) return { offset, ...INDENTATION }
  return quoteProblem(error, around) ?? bracketProblem(error, around) ?? plainProblem(error)
}

function plainProblem({ code, message, pos }: YAMLParseError | YAMLWarning): Problem {
  return { offset: pos[0], message: MESSAGES.get(code) ?? wordsFor(message) }
}

/** Reports a missing closing quote where the text begins; the parser reports it at the end. */
function quoteProblem({ message, pos }: YAMLParseError | YAMLWarning, { document }: Around): Problem | undefined {
  const [, quote] = /^Missing closing (.)quote$/.exec(message) ?? []
  if (quote === undefined) return undefined
  const offset = lastScalarIn(document) ?? pos[0]
  return { offset, message: `the closing ${quote} of the quoted text is missing` }
}

/** Reports what is wrong within brackets, or behind them; undefined if it is something else. */
function bracketProblem({ message, pos }: YAMLParseError | YAMLWarning, { isInBrackets }: Around): Problem | undefined {
  const [offset] = pos
  if (isInBrackets) return { offset, message: "unexpected ': ' or '- ' after this, within brackets", hint: BRACKETS }
  const [, closing] = /^Unexpected flow-(?:map|seq)-end token in YAML stream: "(.)"$/.exec(message) ?? []
  if (closing !== undefined) return { offset, message: `this '${closing}' closes nothing` }
  const isBracket = /^Missing , |^Unexpected (?:scalar|flow-\S+) (?:at node end|token)/.test(message)
  return isBracket ? { offset, message: wordsFor(message), hint: BRACKETS } : undefined
}

const BRACKETS =
  'a `{` or `[` before this is not closed, or a comma is missing, or text with brackets or `: ` is without quotes'

/** Reports a value that is followed by a key on the next line with more indentation. */
function nextLineProblem(offset: number, { source }: Around): Problem {
  const end = source.text.indexOf('\n', offset)
  const start = end + 1 + (/^[ ]*/.exec(source.text.slice(end + 1))?.[0].length ?? 0)
  return { offset: end === -1 ? offset : start, ...INDENTATION }
}

function keyProblem(offset: number, { source }: Around): Problem {
  const [, key] = /^([\w-]+):\S/.exec(source.text.slice(offset, offset + MAX_KEY)) ?? []
  if (key === undefined) return { offset, message: "expected 'key: value', but ': ' is missing" }
  return { offset, message: `a space is missing after '${key}:'` }
}

const MAX_KEY = 200

/** Offset of the last text of a document: the one that was not closed. */
function lastScalarIn({ contents }: Document): number | undefined {
  let node: unknown = contents
  while (isMap(node) || isSeq(node)) {
    const last: unknown = node.items.at(-1)
    node = isPair(last) ? (last.value ?? last.key) : last
  }
  return isScalar(node) ? node.range?.[0] : undefined
}

/** Rewords those messages of the parser that are hard to understand. */
function wordsFor(message: string): string {
  const [, end] =
    /^Flow (?:map|sequence) in block collection must be sufficiently indented and end with a (.)$/.exec(message) ?? []
  if (end !== undefined) return `expected '${end}' before this, or more indentation: a bracket is still open`
  const [, character] = /^Plain value cannot start with .* (\S+)$/.exec(message) ?? []
  if (character !== undefined) return `text that begins with ${character} must be in quotes`
  return message.charAt(0).toLowerCase() + message.slice(1)
}

const INDENTATION = {
  message: 'this line is indented differently from those around it',
  hint: 'begin all keys of a table in the same column',
}

const MESSAGES: ReadonlyMap<string, string> = new Map([
  ['MULTIPLE_DOCS', "expected one document, but '---' begins a second one"],
  ['RESOURCE_EXHAUSTION', 'nested too deeply'],
  ['TAB_AS_INDENT', 'tabs cannot indent YAML: use spaces'],
  ['BLOCK_AS_IMPLICIT_KEY', "unexpected ': ' here: put text that contains it in quotes, and each key on its own line"],
])
