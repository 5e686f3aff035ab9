/** What Go takes for a blank. */
const BLANK = /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$/

export function isBlank(character: string): boolean {
  return BLANK.test(character)
}

/** Go changes the case of single characters: those that would become several stay. */
function single(character: string, changed: string): string {
  return Array.from(changed).length === 1 ? changed : character
}

export function upper(character: string): string {
  return single(character, character.toUpperCase())
}

export function lower(character: string): string {
  return single(character, character.toLowerCase())
}

/** Maps each character; ASCII has nothing that needs to be looked at alone. */
export function upperText(text: string): string {
  return isAscii(text) ? text.toUpperCase() : Array.from(text, upper).join('')
}

export function lowerText(text: string): string {
  return isAscii(text) ? text.toLowerCase() : Array.from(text, lower).join('')
}

function isAscii(text: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return /^[\0-\x7f]*$/.test(text)
}
