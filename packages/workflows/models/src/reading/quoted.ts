const MAX_SHOWN = 60

/** In single quotes, cut where nobody would read on. */
export function quoted(text: string): string {
  return text.length > MAX_SHOWN ? `'${text.slice(0, MAX_SHOWN)}…'` : `'${text}'`
}
