/** Describes which items are missing and which are too much. Returns nothing if both lists contain the same. */
export function differences(what: string, expected: readonly string[], found: readonly string[]): readonly string[] {
  const rest = [...found]
  const missing = expected.filter((item) => {
    const index = rest.indexOf(item)
    if (index >= 0) rest.splice(index, 1)
    return index < 0
  })
  const words = [...missing.map((item) => `'${item}' is missing`), ...rest.map((item) => `'${item}' is too much`)]
  return words.length === 0 ? [] : [`${what}: ${words.join(', ')}`]
}
