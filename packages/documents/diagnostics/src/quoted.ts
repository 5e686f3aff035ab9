const MAX_SHOWN = 60

/** Puts text into single quotes for a message: on one line, and shortened if it is long. */
export function quoted(text: string): string {
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
  return `'${shown.replaceAll('\n', '\\n')}'`
}
