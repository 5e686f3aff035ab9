interface Range {
  readonly from: number
  readonly to: number
}

/** Returns the end of the range without the blanks and line breaks before it. */
export function withoutBlanksBefore(text: string, { from, to }: Range): number {
  let end = to
  while (end > from && isBlank(text.charCodeAt(end - 1))) end -= 1
  return end
}

/** Returns the offset behind the end of an action or comment, and behind the blanks that a marker in it trims. */
export function afterClose(text: string, close: { readonly at: number; readonly trims: boolean }): number {
  let at = close.at + (close.trims ? 4 : 2)
  if (close.trims) while (isBlank(text.charCodeAt(at))) at += 1
  return at
}

function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x09 || unit === 0x0a || unit === 0x0d
}
