/** An element; its text is that of all its own text nodes and CDATA sections together, comments left out. */
export interface XmlElement {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly children: readonly XmlElement[]
  readonly text: string
  /** Of the start tag in the source; only known when it was asked for. */
  readonly offset?: number
}

/** Everything but the characters that XML 1.0 can carry; lone surrogates are not characters. */
// oxlint-disable-next-line no-control-regex
export const NOT_XML = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u

/** `U+0001` */
export function nameOfCharacter(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}
