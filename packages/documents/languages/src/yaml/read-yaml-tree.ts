import type { Diagnostic } from '@davit/diagnostics'
import { type Document, parseDocument } from 'yaml'
import { MAX_YAML_LENGTH, MAX_YAML_PARTS } from '../text/limits.ts'
import { located, type SourceText } from '../text/located.ts'
import type { Tree } from '../text/tree.ts'
import { nameOfCharacter, NOT_XML } from '../xml/xml-element.ts'
import { buildYaml } from './build-yaml.ts'
import { findYamlProblem } from './find-yaml-problem.ts'

/** Reads one YAML 1.2 document with the core schema. A key that is a number or truth value becomes its text. */
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
  const syntax = findYamlProblem(document, source)
  if (syntax !== undefined) return { ...nowhere, problems: [syntax] }
  const problems: Diagnostic[] = []
  const { data, node } = buildYaml(document, { source, problems })
  const { placeOf, placeOfKey } = located(data, node, source)
  return { ...(problems.length > 0 ? {} : { content: { data } }), problems, placeOf, placeOfKey }
}

function problemOf({ file }: SourceText, message: string): Diagnostic {
  return { severity: 'error', message, place: { file } }
}

/** Limits the size: such a large text was made by a program, which can write JSON. */
function excessOf(text: string): string | undefined {
  if (text.length > MAX_YAML_LENGTH) return `too large for YAML: more than ${MAX_YAML_LENGTH} characters`
  let parts = 0
  for (let index = 0; index < text.length && parts <= MAX_YAML_PARTS; index += 1) {
    if (PART.includes(text.charAt(index))) parts += 1
  }
  return parts > MAX_YAML_PARTS ? `too large for YAML: more than ${MAX_YAML_PARTS} lines and values` : undefined
}

const PART = '\n,[{'

/** Returns undefined when the text nests too deeply for the parser. */
function compose(text: string): Document | undefined {
  try {
    return parseDocument(text, { version: '1.2', schema: 'core', uniqueKeys: false, prettyErrors: false })
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
