import { afterClose, withoutBlanksBefore } from './blanks.ts'
import { lexAction } from './lex-action.ts'
import type { Token } from './tokens.ts'

/** Adds the tokens up to the end of the next action; returns where to go on. The last token of all is an `end` or an `error`. */
export function lexThroughAction(tokens: Token[], text: string, from: number): number {
  const open = text.indexOf('{{', from)
  if (open < 0) {
    if (from < text.length) tokens.push({ kind: 'text', text: text.slice(from), at: from, end: text.length })
    tokens.push({ kind: 'end', text: '', at: text.length, end: text.length })
    return text.length
  }
  const trims = text.startsWith('- ', open + 2)
  const to = trims ? withoutBlanksBefore(text, { from, to: open }) : open
  if (to > from) tokens.push({ kind: 'text', text: text.slice(from, to), at: from, end: to })
  const start = trims ? open + 4 : open + 2
  return text.startsWith('/*', start) ? lexComment(tokens, text, start) : lexAction(tokens, text, { open, start })
}

/** Skips a comment. */
function lexComment(tokens: Token[], text: string, start: number): number {
  const end = text.indexOf('*/', start + 2)
  const trims = text.startsWith(' -}}', end + 2)
  if (end >= 0 && (trims || text.startsWith('}}', end + 2))) return afterClose(text, { at: end + 2, trims })
  const message = end < 0 ? "the comment has no end: expected '*/}}'" : "expected '}}' right after the comment"
  const at = end < 0 ? start : end + 2
  tokens.push({ kind: 'error', text: message, at, end: at })
  return at
}
