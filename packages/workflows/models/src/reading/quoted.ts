const MAX_SHOWN = 60

/** Puts text into single quotes, shortened if it is long. */
export function quoted(text: string): string {
  return text.length > MAX_SHOWN ? `'${text.slice(0, MAX_SHOWN)}…'` : `'${text}'`
}
