/** Writes a text as one word of a shell script; it arrives unchanged, whatever it holds. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** Writes a command that prints a text; a text in quotes is not evaluated, and no command line gets too long. */
export function printing(text: string): string {
  const lines = new Set(text.split('\n'))
  let end = 'END'
  while (lines.has(end)) end += '_'
  return `cat <<'${end}'\n${text}\n${end}\n`
}

/** Whether a text can be a variable of a shell. */
export function isVariable(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text)
}

/** Writes a text so that nothing in it is replaced where models replace `${…}`. */
export function withoutReferences(text: string): string {
  return text.replaceAll('${', () => '$${')
}
