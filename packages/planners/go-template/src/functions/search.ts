import { type Budget, spendCharacters } from '../budget.ts'

/** Shorter texts are found fast whatever is searched. */
const SHORT = 8

/** Finds where a text occurs in another, without overlaps (Knuth, Morris and Pratt: V8 would take the product of both lengths). */
export function offsetsOf(part: string, text: string, budget: Budget, most = Infinity): readonly number[] {
  if (part.length <= SHORT) return shortOffsets(part, text, { budget, most })
  spendCharacters(budget, (part.length + text.length) >>> 2)
  const borders = bordersOf(part)
  const offsets: number[] = []
  let matched = 0
  for (let at = 0; at < text.length && offsets.length < most; at += 1) {
    const unit = text.charCodeAt(at)
    while (matched > 0 && part.charCodeAt(matched) !== unit) matched = borders[matched - 1] ?? 0
    if (part.charCodeAt(matched) === unit) matched += 1
    if (matched < part.length) continue
    offsets.push(at + 1 - part.length)
    matched = 0
  }
  return offsets
}

function shortOffsets(
  part: string,
  text: string,
  { budget, most }: { readonly budget: Budget; readonly most: number },
): readonly number[] {
  const offsets: number[] = []
  for (let at = text.indexOf(part); at >= 0 && offsets.length < most; at = text.indexOf(part, at + part.length)) {
    offsets.push(at)
    spendCharacters(budget, 1)
  }
  return offsets
}

/** For each beginning of a text, the length of the longest shorter one that it ends with. */
function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length)
  let length = 0
  for (let at = 1; at < text.length; at += 1) {
    while (length > 0 && text.charCodeAt(length) !== text.charCodeAt(at)) length = borders[length - 1] ?? 0
    if (text.charCodeAt(length) === text.charCodeAt(at)) length += 1
    borders[at] = length
  }
  return borders
}

/** The parts of a text between what stands at the offsets. */
export function partsBetween(text: string, offsets: readonly number[], length: number): readonly string[] {
  return [...offsets, text.length].map((end, index) => {
    const before = offsets[index - 1]
    return text.slice(before === undefined ? 0 : before + length, end)
  })
}
