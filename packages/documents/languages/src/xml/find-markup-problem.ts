import { describe, shortened } from '../text/describe.ts'
import { MAX_DOCUMENT_DEPTH, MAX_XML_ELEMENTS } from '../text/limits.ts'
import { findEntityProblem } from './xml-entity.ts'

export interface XmlProblem {
  readonly message: string
  readonly offset: number
}

/** Finds the first place where tags, entities and text do not form one element. Does not check attributes. */
export function findMarkupProblem(text: string): XmlProblem | undefined {
  const state: State = { open: [], elements: 0 }
  TOKEN.lastIndex = 0
  for (let offset = 0; offset < text.length; offset = TOKEN.lastIndex) {
    const match = TOKEN.exec(text)
    if (match === null) return { message: unreadable(text, offset), offset }
    const problem = follow(match.groups ?? {}, offset, state)
    if (problem !== undefined) return problem
  }
  const innermost = state.open.at(-1)
  if (innermost !== undefined)
    return { message: `the text ends inside element ${describe(innermost)}`, offset: text.length }
  return state.elements > 0 ? undefined : { message: 'expected an element, but there is none', offset: 0 }
}

/** Comment, processing instruction, CDATA, end tag, start tag, text. No part can match what another begins with: linear time. */
const TOKEN =
  /<!--[^]*?-->|<\?[^]*?\?>|<!\[CDATA\[(?<cdata>[^]*?)\]\]>|<\/(?<closing>[^<>]*)>|<(?<opening>[^\s<>/!?"']+)(?<attributes>(?:[\s/][^"'<>]*(?:"[^"<]*"[^"'<>]*|'[^'<]*'[^"'<>]*)*)?)>|(?<characters>[^<]+)/y

interface Token {
  readonly cdata?: string
  readonly closing?: string
  readonly opening?: string
  readonly attributes?: string
  readonly characters?: string
}

interface State {
  readonly open: string[]
  elements: number
}

function follow(token: Token, offset: number, state: State): XmlProblem | undefined {
  if (token.opening !== undefined) return followStart(token, offset, state)
  if (token.closing !== undefined) return followEnd(token.closing.trimEnd(), offset, state)
  return followText(token, offset, state)
}

function followStart(
  { opening: name = '', attributes = '' }: Token,
  offset: number,
  state: State,
): XmlProblem | undefined {
  const { open } = state
  const entity = findEntityProblem(attributes)
  if (entity !== undefined) return { message: entity.message, offset: offset + name.length + 1 + entity.offset }
  if (state.elements > 0 && open.length === 0) return { message: `${describe(name)} is a second root element`, offset }
  state.elements += 1
  const excess = excessOf(state)
  if (excess !== undefined) return { message: excess, offset }
  if (!attributes.endsWith('/')) open.push(name)
  return undefined
}

function excessOf({ open, elements }: State): string | undefined {
  if (elements > MAX_XML_ELEMENTS) return `there are more than ${MAX_XML_ELEMENTS} elements`
  return open.length < MAX_DOCUMENT_DEPTH
    ? undefined
    : `elements are nested more than ${MAX_DOCUMENT_DEPTH} levels deep`
}

function followEnd(name: string, offset: number, { open }: State): XmlProblem | undefined {
  const expected = open.pop()
  if (expected === name) return undefined
  const found = `</${shortened(name)}>`
  return {
    message:
      expected === undefined
        ? `unexpected ${found}: no element is open`
        : `expected </${shortened(expected)}>, but got ${found}`,
    offset,
  }
}

function followText({ cdata, characters = '' }: Token, offset: number, { open }: State): XmlProblem | undefined {
  const entity = findEntityProblem(characters)
  if (entity !== undefined) return { message: entity.message, offset: offset + entity.offset }
  if (open.length === 0 && (cdata !== undefined || characters.trim() !== '')) {
    return { message: 'text outside of the root element', offset }
  }
  const end = characters.indexOf(']]>')
  return end === -1 ? undefined : { message: "']]>' in text must be written ]]&gt;", offset: offset + end }
}

function unreadable(text: string, offset: number): string {
  const start = text.slice(offset, offset + 9)
  if (/^<!DOCTYPE/i.test(start)) return 'DOCTYPE is not allowed: remove it'
  if (start.startsWith('<!--')) return 'the comment is not closed'
  if (start.startsWith('<![CDATA[')) return 'the CDATA section is not closed'
  if (!text.includes('>', offset)) return 'the text ends inside a tag'
  return "the tag is not well-formed: a quote is missing, or a '<' in it is not written &lt;"
}
