/**
 * Removes the indentation of a text that begins on the line after its quote, as in a template literal. The result is that of a YAML
 * block (`|`): without the first newline, the indentation common to all lines, and the white space before the closing quote. Any
 * other text is returned unchanged.
 */
export function dedent(text: string): string {
  if (!/^[ \t]*\n/.test(text)) return text
  const lines = text
    .replace(/\n[ \t]*$/, '\n')
    .split('\n')
    .slice(1)
  const indentation =
    lines
      .filter((line) => !isBlank(line))
      .map((line) => /^[ \t]*/.exec(line)?.[0] ?? '')
      .reduce(common, undefined) ?? ''
  return lines
    .map((line) => (line.startsWith(indentation) ? line.slice(indentation.length) : line.trimStart()))
    .join('\n')
}

function isBlank(line: string): boolean {
  return /^[ \t]*$/.test(line)
}

/** Returns the common prefix; tabs and spaces are different. */
function common(one: string | undefined, other: string): string {
  if (one === undefined) return other
  let length = 0
  while (length < one.length && one[length] === other[length]) length += 1
  return one.slice(0, length)
}
