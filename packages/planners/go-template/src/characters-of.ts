/** Returns characters, so that none is cut in two. Only those before the end are looked at. */
export function charactersOf(text: string, from: number, to: number): string {
  const start = offsetOf(text, from, 0)
  return text.slice(start, offsetOf(text, to - from, start))
}

/** Passes a number of characters, and returns the offset behind them. */
function offsetOf(text: string, count: number, start: number): number {
  if (count >= text.length - start) return text.length
  let at = start
  for (let passed = 0; passed < count && at < text.length; passed += 1) at += isPairAt(text, at) ? 2 : 1
  return at
}

export function isPairAt(text: string, at: number): boolean {
  return (text.codePointAt(at) ?? 0) > 0xffff
}
