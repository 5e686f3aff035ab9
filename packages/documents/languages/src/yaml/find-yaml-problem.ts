import type { Diagnostic } from '@davit/diagnostics'
import { type Document, isMap, isPair, isScalar, isSeq, type YAMLParseError, type YAMLWarning } from 'yaml'
import type { SourceText } from '../text/located.ts'

/** The first thing that is wrong with a text as YAML: what the parser says after it is mostly about nothing. */
export function findYamlProblem(document: Document, source: SourceText): Diagnostic | undefined {
  const { errors, warnings, directives } = document
  // Tags that the parser does not know are warnings there; whoever reads the values refuses them.
  const all = [...errors, ...warnings.filter(({ code }) => code !== 'TAG_RESOLVE_FAILED')]
  const first = all.toSorted((left, right) => left.pos[0] - right.pos[0])[0]
  if (directives?.yaml.version !== '1.2') {
    return { severity: 'error', message: 'davit reads YAML 1.2 only', place: source.placeAt(0) }
  }
  if (first === undefined) return undefined
  const isContinued = all.some(({ code, pos }) => code === 'MULTILINE_IMPLICIT_KEY' && pos[0] === first.pos[0])
  const { offset, message, hint } = problemOf(first, { document, source, isContinued })
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
  /** Whether what should be a key goes on in the next line. */
  readonly isContinued: boolean
}

function problemOf(error: YAMLParseError | YAMLWarning, around: Around): Problem {
  const { code, message, pos } = error
  const [offset] = pos
  if (code === 'BLOCK_AS_IMPLICIT_KEY' && around.isContinued) return nextLineProblem(offset, around)
  if (code === 'MULTILINE_IMPLICIT_KEY') return keyProblem(offset, around)
  if (/^All (?:mapping|sequence) items must start/.test(message)) return { offset, ...INDENTATION }
  return quoteProblem(error, around) ?? { offset, message: MESSAGES.get(code) ?? wordsFor(message) }
}

/** The parser tells it at the end of the text. */
function quoteProblem({ message, pos }: YAMLParseError | YAMLWarning, { document }: Around): Problem | undefined {
  const [, quote] = /^Missing closing (.)quote$/.exec(message) ?? []
  if (quote === undefined) return undefined
  const offset = lastScalarIn(document) ?? pos[0]
  return { offset, message: `the text in quotes does not end: ${quote} is missing` }
}

/** A value in one line and a key in the next, which is indented more. */
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

/** Where the last text of a document begins: the one that did not end. */
function lastScalarIn({ contents }: Document): number | undefined {
  let node: unknown = contents
  while (isMap(node) || isSeq(node)) {
    const last: unknown = node.items.at(-1)
    node = isPair(last) ? (last.value ?? last.key) : last
  }
  return isScalar(node) ? node.range?.[0] : undefined
}

/** Of the parser's own words, those that nobody understands are put differently. */
function wordsFor(message: string): string {
  const [, end] =
    /^Flow (?:map|sequence) in block collection must be sufficiently indented and end with a (.)$/.exec(message) ?? []
  if (end !== undefined) return `expected '${end}' before this, or more indentation: a bracket is still open`
  const [, character] = /^Plain value cannot start with .* (\S+)$/.exec(message) ?? []
  if (character !== undefined) return `text that begins with ${character} stands in quotes`
  return message.charAt(0).toLowerCase() + message.slice(1)
}

const INDENTATION = {
  message: 'this line is indented differently from those around it',
  hint: 'keys of the same table begin in the same column',
}

const MESSAGES: ReadonlyMap<string, string> = new Map([
  ['MULTIPLE_DOCS', "expected one document, but '---' begins a second one"],
  ['RESOURCE_EXHAUSTION', 'nested too deeply'],
  ['TAB_AS_INDENT', 'tabs cannot indent YAML: use spaces'],
  [
    'BLOCK_AS_IMPLICIT_KEY',
    "unexpected ': ' here: text that contains it stands in quotes, keys stand below each other",
  ],
])
