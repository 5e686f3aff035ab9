/**
 * Control characters other than newline and tab, separators of lines, marks that change the direction of text, joiners, fillers and
 * other characters that nobody sees, halves of surrogate pairs, and noncharacters.
 */
const UNPRINTABLE =
  /[^\P{Cc}\n\t]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800]/gu

/** Nearly all text is so, and takes no further look. */
const PLAIN = /^[\n\t\u0020-\u007e]*$/

/** Makes text from elsewhere safe for a terminal: characters that could disturb it, or that nobody sees, become visible escapes. */
export function printable(text: string): string {
  return PLAIN.test(text) ? text : text.replace(UNPRINTABLE, escaped)
}

function escaped(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}

/** The same for text that is shown within a line, which no text may end or continue elsewhere. */
export function printableLine(text: string): string {
  return printable(text)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\t', String.raw`\t`)
}

/** Renders lines; each stays one line, whatever it contains. */
export function printableLines(lines: readonly string[]): string {
  return lines.map((line) => `${printableLine(line)}\n`).join('')
}

/** Prints names for programs, a line each; leaves out names that no line can have as they are, or that would not be seen as they are. */
export function nameLines(names: readonly string[]): string {
  return printableLines(names.filter((name) => printableLine(name) === name))
}

/** Margins of what a program has said, below a message; no line of davit's own begins so. */
const BREAK = /\n(?= {4}| {2}\| )/

/** Gives the further lines of what a program has said the margin with which they stay lines below a message. */
export function withMargins(text: string): string {
  return text.replaceAll(/\n(?! {4}| {2}\| )/g, '\n    ')
}

/** Lines of a message: it may end with lines that a program has said, each with a margin. No other text of it makes a line of its own. */
export function messageLines(text: string): readonly string[] {
  return text.split(BREAK).map((line) => printableLine(line))
}

/** Names that can be read in one way only. */
const NAME = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.+@-]*$/u

/** A name of any characters within a sentence or a path: quoted unless it is a plain word. */
export function nameText(name: string): string {
  return NAME.test(name) && printable(name) === name ? name : printable(blanksEscaped(JSON.stringify(name)))
}

/** Blanks of all kinds look alike. */
function blanksEscaped(text: string): string {
  return text.replace(/[^\P{Zs} ]/gu, escaped)
}
