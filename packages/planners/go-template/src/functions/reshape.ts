import { type Budget, checkLength, PIECE, spendCharacters, spendSteps, spendText } from '../budget.ts'
import { PieceList, PlacedText } from '../placed-text.ts'
import type { Run } from '../run.ts'

/** Returns the text without some characters at both ends. */
export function trimmed<Text extends string | PlacedText>(
  value: Text,
  isTrimmed: (character: string) => boolean,
  run: Run,
): Text
export function trimmed(
  value: string | PlacedText,
  isTrimmed: (character: string) => boolean,
  { budget }: Run,
): string | PlacedText {
  const text = value instanceof PlacedText ? value.text : value
  let [from, to] = [0, text.length]
  while (from < to && isTrimmed(characterFrom(text, from))) from += characterFrom(text, from).length
  while (from < to && isTrimmed(characterBefore(text, to))) to -= characterBefore(text, to).length
  spendCharacters(budget, text.length - (to - from))
  if (!(value instanceof PlacedText)) return value.slice(from, to)
  const pieces = new PieceList()
  spendPieces(budget, value)
  value.copy(pieces.add, from, to)
  return pieces.placed(value.place(from).file)
}

/** Accounts for a copy of text that knows where it was written. */
function spendPieces(budget: Budget, { text, pieces }: PlacedText): void {
  spendText(budget, text.length)
  spendText(budget, pieces * PIECE)
  spendSteps(budget, pieces)
}

function characterFrom(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at) ?? 0)
}

function characterBefore(text: string, at: number): string {
  const isPair = /[\udc00-\udfff]/.test(text[at - 1] ?? '') && /[\ud800-\udbff]/.test(text[at - 2] ?? '')
  return text.slice(at - (isPair ? 2 : 1), at)
}

/** Indents every line, the first one too. */
export function indented(value: string | PlacedText, width: number, { budget }: Run): string | PlacedText {
  const text = value instanceof PlacedText ? value.text : value
  const margin = ' '.repeat(width)
  let lines = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1
  checkLength(text.length + lines * width)
  spendText(budget, text.length + lines * width)
  spendSteps(budget, lines)
  if (!(value instanceof PlacedText)) return margin + value.replaceAll('\n', `\n${margin}`)
  const pieces = new PieceList()
  spendPieces(budget, value)
  const first = value.place(0)
  pieces.add(margin, { ...first, isWritten: false })
  value.copy((part, source) => {
    const breaks = part.split('\n')
    let offset = source.offset
    for (const [index, line] of breaks.entries()) {
      const isLast = index === breaks.length - 1
      const written = isLast ? line : `${line}\n`
      pieces.add(written, { ...source, offset })
      if (source.isWritten) offset += written.length
      if (!isLast) pieces.add(margin, { ...source, offset, isWritten: false })
      spendText(budget, 2 * PIECE)
    }
  })
  return pieces.placed(first.file)
}
