/** Returns "did you mean 'database'?" for a misspelt name; undefined when no candidate is close. */
export function suggestionFor(name: string, candidates: Iterable<string>): string | undefined {
  const limit = editsAllowed(name)
  let best: { readonly candidate: string; readonly distance: number } | undefined
  let steps = 0
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) > limit) continue
    const [left, right] = differingParts(name.toLowerCase(), candidate.toLowerCase())
    steps += STEPS_EACH + left.length * right.length
    if (steps > MAX_STEPS) break
    const distance = editDistance(left, right)
    if (distance <= limit && (best === undefined || distance < best.distance)) best = { candidate, distance }
  }
  return best === undefined ? undefined : `did you mean '${best.candidate}'?`
}

/** A few hundredths of a second: enough for a hundred thousand candidates that are not crafted to be slow. */
const MAX_STEPS = 5_000_000
const STEPS_EACH = 10

/** Strips the common start and end, which cost no edit. */
function differingParts(left: string, right: string): readonly [string, string] {
  const shorter = Math.min(left.length, right.length)
  let start = 0
  while (start < shorter && left[start] === right[start]) start += 1
  let end = 0
  while (end < shorter - start && left.at(-1 - end) === right.at(-1 - end)) end += 1
  return [left.slice(start, left.length - end), right.slice(start, right.length - end)]
}

/** Returns how many edits a suggestion may need; a negative number excludes every candidate. */
function editsAllowed({ length }: string): number {
  if (length > MAX_LENGTH) return -1
  return length < 2 ? 0 : Math.max(1, Math.floor(length / 3))
}

/** The longest allowed name; a comparison costs the product of both lengths. */
const MAX_LENGTH = 200

/** Three rows of the distance matrix, which are used in turn. */
const ROWS = Array.from({ length: 3 }, () => new Uint16Array(MAX_LENGTH * 2 + 2))

/** Returns the Levenshtein distance, where a swap of neighbours is one edit. */
function editDistance(left: string, right: string): number {
  let [beforeLast, last, current] = ROWS as [Uint16Array, Uint16Array, Uint16Array]
  for (let column = 0; column <= right.length; column += 1) last[column] = column
  for (let row = 1; row <= left.length; row += 1) {
    current[0] = row
    for (let column = 1; column <= right.length; column += 1) {
      const same = left[row - 1] === right[column - 1] ? 0 : 1
      let cost = Math.min(at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + same)
      if (areSwapped([left, row], [right, column])) cost = Math.min(cost, at(beforeLast, column - 2) + 1)
      current[column] = cost
    }
    ;[beforeLast, last, current] = [last, current, beforeLast]
  }
  return at(last, right.length)
}

type UpTo = readonly [text: string, length: number]

function areSwapped([left, row]: UpTo, [right, column]: UpTo): boolean {
  return column > 1 && row > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]
}

function at(row: Uint16Array, column: number): number {
  return row[column] ?? 0
}
