const MARGINS: string[] = []

/** Returns the line break and indentation one level below a margin, which are two more spaces; the same string each time. */
export function marginWithin({ length }: string): string {
  return (MARGINS[length] ??= `\n${' '.repeat(length + 1)}`)
}
