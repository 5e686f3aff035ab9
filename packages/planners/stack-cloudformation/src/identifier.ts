/** Makes an identifier of letters and digits that begins with a capital: `msg/read-er` becomes `MsgReadEr`. */
export function pascalIdentifier(text: string): string {
  return partsOf(text).map(capitalized).join('')
}

/** The same, but it begins with a small letter. */
export function camelIdentifier(text: string): string {
  const identifier = pascalIdentifier(text)
  return `${identifier.slice(0, 1).toLowerCase()}${identifier.slice(1)}`
}

/** Other characters than ASCII letters and digits are dropped, and separate parts. */
function partsOf(text: string): readonly string[] {
  return text.match(/[A-Za-z0-9]+/g) ?? []
}

function capitalized(part: string): string {
  return `${part.slice(0, 1).toUpperCase()}${part.slice(1)}`
}
