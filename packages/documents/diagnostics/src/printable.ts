/**
 * Control characters other than newline and tab, line separators, marks that change the direction of text, halves of
 * surrogate pairs, and noncharacters.
 */
const UNPRINTABLE =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]/gu

/** Makes text from elsewhere safe for a terminal: characters that could disturb it become visible escapes. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
