import { spendCharacters } from '../budget.ts'
import { printedAll } from '../format/print-value.ts'
import type { TemplateValue } from '../template-file.ts'
import { any, takesAll, type TemplateFunction } from './definition.ts'

const HTML: ReadonlyMap<string, string> = new Map(
  Object.entries({ '\0': '\ufffd', '"': '&#34;', "'": '&#39;', '&': '&amp;', '<': '&lt;', '>': '&gt;' }),
)
const JS: ReadonlyMap<string, string> = new Map(
  Object.entries({ '\\': '\\\\', "'": "\\'", '"': '\\"', '<': '\\x3C', '>': '\\x3E' }),
)
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u

/** Control characters and what cannot be seen becomes `\u` and at least four digits. */
function escapedForJs(character: string): string {
  const known = JS.get(character)
  if (known !== undefined || PRINTABLE.test(character)) return known ?? character
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}

/** Escapes for queries of URLs, where a blank is a plus sign. */
function escapedForQuery(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replaceAll('%20', '+')
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** Nil is what an action prints of it, unlike in `print`. */
function escapesWith(escape: (text: string) => string): TemplateFunction {
  const shown = (value: TemplateValue) => value ?? '<no value>'
  return takesAll(any, 0, (values, { budget }) => {
    const printed = printedAll(values.map(shown), budget)
    spendCharacters(budget, printed.length)
    return escape(printed)
  })
}

export const escapes = {
  // oxlint-disable-next-line no-control-regex
  html: escapesWith((text) => text.replace(/[\0"'&<>]/g, (character) => HTML.get(character) ?? '')),
  // oxlint-disable-next-line no-control-regex
  js: escapesWith((text) => text.replace(/[^ !#-&(-;=?-[\]-\x7f]/gu, escapedForJs)),
  urlquery: escapesWith(escapedForQuery),
}
