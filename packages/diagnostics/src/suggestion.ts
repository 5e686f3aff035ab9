/** "did you mean 'database'?" for a misspelt name, or nothing when no candidate is near. */
export function suggestionFor(name: string, candidates: Iterable<string>): string | undefined {
  const limit = editsAllowed(name)
  let best: { readonly candidate: string; readonly distance: number } | undefined
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) > limit) continue
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase())
    if (distance <= limit && (best === undefined || distance < best.distance)) best = { candidate, distance }
  }
  return best === undefined ? undefined : `did you mean '${best.candidate}'?`
}

/** None below zero, which no candidate meets. */
function editsAllowed({ length }: string): number {
  if (length > MAX_LENGTH) return -1
  return length < 2 ? 0 : Math.max(1, Math.floor(length / 3))
}

/** As long as names may be; comparing costs the product of the lengths. */
const MAX_LENGTH = 200

/** Levenshtein distance, with a swap of neighbours as one edit. */
function editDistance(left: string, right: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: right.length + 1 }, (_, column) => column)
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= right.length; column += 1) {
      const same = left[row - 1] === right[column - 1] ? 0 : 1
      let cost = Math.min(at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + same)
      if (left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1] && column > 1 && row > 1) {
        cost = Math.min(cost, at(beforeLast, column - 2) + 1)
      }
      current.push(cost)
    }
    beforeLast = last
    last = current
  }
  return at(last, right.length)
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY
}
