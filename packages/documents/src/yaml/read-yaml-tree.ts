import type { Diagnostic } from '@davit/diagnostics'
import { type Document, parseDocument } from 'yaml'
import { MAX_YAML_LENGTH, MAX_YAML_PARTS } from '../text/limits.ts'
import { located, type SourceText } from '../text/located.ts'
import type { Tree } from '../text/tree.ts'
import { nameOfCharacter, NOT_XML } from '../xml/xml-element.ts'
import { buildYaml } from './build-yaml.ts'

/** One YAML 1.2 document with the core schema. A number or truth value as a key is the text it is written as. */
export function readYamlTree(source: SourceText): Tree {
  const nowhere = located(null, { offset: 0 }, source)
  const excess = excessOf(source.text)
  if (excess !== undefined) return { ...nowhere, problems: [problemOf(source, excess)] }
  const strange = NOT_XML.exec(source.text)
  if (strange !== null) {
    const message = `character ${nameOfCharacter(strange[0])} cannot occur in YAML`
    return { ...nowhere, problems: [{ severity: 'error', message, place: source.placeAt(strange.index) }] }
  }
  const document = compose(source.text)
  if (document === undefined) {
    return { ...nowhere, problems: [problemOf(source, 'nested too deeply')] }
  }
  const syntax = syntaxProblems(document, source)
  if (syntax.length > 0) return { ...nowhere, problems: syntax }
  const problems: Diagnostic[] = []
  const { data, node } = buildYaml(document, { source, problems })
  const { placeOf, placeOfKey } = located(data, node, source)
  return { ...(problems.length > 0 ? {} : { content: { data } }), problems, placeOf, placeOfKey }
}

function problemOf({ file }: SourceText, message: string): Diagnostic {
  return { severity: 'error', message, place: { file } }
}

/** What is so large was made by a program, which can write JSON. */
function excessOf(text: string): string | undefined {
  if (text.length > MAX_YAML_LENGTH) return `too large for YAML: more than ${MAX_YAML_LENGTH} characters`
  let parts = 0
  for (let index = 0; index < text.length && parts <= MAX_YAML_PARTS; index += 1) {
    if (PART.includes(text.charAt(index))) parts += 1
  }
  return parts > MAX_YAML_PARTS ? `too large for YAML: more than ${MAX_YAML_PARTS} lines and values` : undefined
}

const PART = '\n,[{'

/** Nothing when the text nests so deeply that the parser gives up. */
function compose(text: string): Document | undefined {
  try {
    return parseDocument(text, { version: '1.2', schema: 'core', uniqueKeys: false, prettyErrors: false })
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Tags that the parser does not know are warnings there; whoever reads the values refuses them. */
function syntaxProblems({ errors, warnings, directives }: Document, source: SourceText): Diagnostic[] {
  const exhausted = errors.findIndex(({ code }) => code === 'RESOURCE_EXHAUSTION')
  // What the parser says after it gave up is about nothing.
  const own = exhausted === -1 ? errors : errors.slice(0, exhausted + 1)
  const problems = [...own, ...warnings.filter(({ code }) => code !== 'TAG_RESOLVE_FAILED')]
  const diagnostics = problems.map(({ code, message, pos: [offset] }): Diagnostic => {
    return {
      severity: 'error',
      message: MESSAGES.get(code) ?? wordsFor(message),
      place: source.placeAt(Math.min(offset, source.text.length)),
    }
  })
  if (directives?.yaml.version === '1.2') return diagnostics
  return [{ severity: 'error', message: 'davit reads YAML 1.2 only', place: source.placeAt(0) }, ...diagnostics]
}

/** Of the parser's own words, those that nobody understands are put differently. */
function wordsFor(message: string): string {
  const [, end] =
    /^Flow (?:map|sequence) in block collection must be sufficiently indented and end with a (.)$/.exec(message) ?? []
  if (end !== undefined) return `expected '${end}' before this, or more indentation: a bracket is still open`
  const [, quote] = /^Missing closing (.)quote$/.exec(message) ?? []
  if (quote !== undefined) return `the text in quotes does not end: ${quote} is missing`
  return message.charAt(0).toLowerCase() + message.slice(1)
}

const MESSAGES: ReadonlyMap<string, string> = new Map([
  ['MULTIPLE_DOCS', "expected one document, but '---' begins a second one"],
  ['RESOURCE_EXHAUSTION', 'nested too deeply'],
  ['TAB_AS_INDENT', 'tabs cannot indent YAML: use blanks'],
  [
    'BLOCK_AS_IMPLICIT_KEY',
    "unexpected ': ' here: text that contains it stands in quotes, keys stand below each other",
  ],
])
