import type { Diagnostic } from '@davit/diagnostics'
import { XMLValidator } from 'fast-xml-parser'
import type { SourceText } from '../text/located.ts'
import { NOT_XML, nameOfCharacter } from './xml-element.ts'
import { findMarkupProblem, type XmlProblem } from './find-markup-problem.ts'

/** Finds the first problem that keeps davit from reading a text as XML; the validator of fast-xml-parser alone accepts too much. */
export function findXmlProblem(source: SourceText): Diagnostic | undefined {
  const problem = findCharacterProblem(source.text) ?? findMarkupProblem(source.text)
  if (problem !== undefined) {
    return { severity: 'error', message: problem.message, place: source.placeAt(problem.offset) }
  }
  const verdict = XMLValidator.validate(source.text)
  if (verdict === true) return undefined
  const { msg, line, col } = verdict.err
  const message = msg.charAt(0).toLowerCase() + msg.slice(1).replace(/\.$/, '')
  return { severity: 'error', message, place: source.placeAtLine(line, col) }
}

function findCharacterProblem(text: string): XmlProblem | undefined {
  const match = NOT_XML.exec(text)
  return match === null
    ? undefined
    : { message: `character ${nameOfCharacter(match[0])} cannot occur in XML`, offset: match.index }
}
