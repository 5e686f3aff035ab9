/** An element; `text` joins its own text nodes and CDATA sections, without comments, and without mere blanks beside elements. */
export interface XmlElement {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly children: readonly XmlElement[]
  readonly text: string
  /** Offset of the start tag in the source; only set by `readXmlWithPlaces`. */
  readonly offset?: number
}

/** Matches whatever cannot occur in XML 1.0, lone surrogates included. */
// oxlint-disable-next-line no-control-regex
export const NOT_XML = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u

/** Formats a character as `U+0001`. */
export function nameOfCharacter(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}
