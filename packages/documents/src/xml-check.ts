import type { Diagnostic } from '@davit/diagnostics'
import { XMLValidator } from 'fast-xml-parser'
import { MAX_XML_DEPTH } from './limits.ts'
import type { SourceText } from './located.ts'
import { NOT_XML } from './xml-element.ts'
import { findEntityProblem } from './xml-entity.ts'

/** Why a text is not well-formed XML that davit reads; the validator of fast-xml-parser alone lets too much through. */
export function findXmlProblem(source: SourceText): Diagnostic | undefined {
  const problem = findCharacterProblem(source.text) ?? findMarkupProblem(source.text)
  if (problem !== undefined) {
    return { severity: 'error', message: problem.message, place: source.placeAt(problem.offset) }
  }
  const verdict = XMLValidator.validate(source.text)
  if (verdict === true) return undefined
  const { msg, line, col } = verdict.err
  const message = msg.charAt(0).toLowerCase() + msg.slice(1).replace(/\.$/, '')
  return { severity: 'error', message, place: { file: source.file, line, column: col } }
}

interface Problem {
  readonly message: string
  readonly offset: number
}

function findCharacterProblem(text: string): Problem | undefined {
  const match = NOT_XML.exec(text)
  if (match === null) return undefined
  const code = (match[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return { message: `character U+${code} cannot occur in XML`, offset: match.index }
}

interface Token {
  readonly offset: number
  readonly cdata?: string
  readonly closing?: string
  readonly opening?: string
  readonly attributes?: string
  readonly characters?: string
}

const TOKEN =
  /<!--[^]*?-->|<\?[^]*?\?>|<!\[CDATA\[(?<cdata>[^]*?)\]\]>|<\/(?<closing>[^<>]*)>|<(?<opening>[^\s<>/!?]+)(?<attributes>(?:"[^"<]*"|'[^'<]*'|[^"'<>])*)>|(?<characters>[^<]+)/y

function findMarkupProblem(text: string): Problem | undefined {
  const open: string[] = []
  let rootSeen = false
  TOKEN.lastIndex = 0
  for (let offset = 0; offset < text.length; offset = TOKEN.lastIndex) {
    const match = TOKEN.exec(text)
    if (match === null) return { message: unreadable(text.slice(offset, offset + 20)), offset }
    const token: Token = { ...match.groups, offset }
    const problem = contentProblem(token, open) ?? (rootSeen && open.length === 0 ? secondRoot(token) : undefined)
    if (problem !== undefined) return problem
    rootSeen ||= token.opening !== undefined
    followTag(token, open)
  }
  const innermost = open.at(-1)
  if (innermost !== undefined) return { message: `the text ends inside of element '${innermost}'`, offset: text.length }
  return rootSeen ? undefined : { message: 'there is no element', offset: 0 }
}

function contentProblem(token: Token, open: readonly string[]): Problem | undefined {
  const { offset, cdata, closing, opening, attributes, characters } = token
  const inside = attributes ?? characters
  const entity = inside === undefined ? undefined : findEntityProblem(inside)
  if (entity !== undefined) return { message: entity.message, offset: offset + entity.offset + 1 + (opening?.length ?? -1) }
  if (open.length === 0 && (cdata !== undefined || characters?.trim())) return { message: 'text outside of the root element', offset }
  if (characters?.includes(']]>')) return { message: "']]>' in text is written ]]&gt;", offset }
  if (closing !== undefined && closing.trimEnd() !== open.at(-1)) return { message: wrongEnd(closing, open.at(-1)), offset }
  if (opening !== undefined && open.length >= MAX_XML_DEPTH) {
    return { message: `elements are nested more than ${MAX_XML_DEPTH} levels deep`, offset }
  }
  return undefined
}

function secondRoot({ opening, offset }: Token): Problem | undefined {
  return opening === undefined ? undefined : { message: `'${opening}' is a second root element`, offset }
}

function followTag({ closing, opening, attributes }: Token, open: string[]): void {
  if (closing !== undefined) open.pop()
  if (opening !== undefined && !attributes?.endsWith('/')) open.push(opening)
}

function wrongEnd(closing: string, open: string | undefined): string {
  const found = `this is </${closing.trimEnd()}>`
  return open === undefined ? `${found}, but no element is open` : `expected </${open}>, but ${found}`
}

function unreadable(start: string): string {
  if (/^<!DOCTYPE/i.test(start)) return 'a DOCTYPE is refused'
  if (start.startsWith('<!--')) return 'a comment does not end'
  if (start.startsWith('<![CDATA[')) return 'a CDATA section does not end'
  return "a tag is not well-formed: it does not end, or '<' stands inside of it (written &lt;)"
}
