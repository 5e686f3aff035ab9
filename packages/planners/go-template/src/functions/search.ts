import { type Budget, spendCharacters } from '../budget.ts'

/** Shorter texts are found fast whatever is searched. */
const SHORT = 8

/** Finds where a text occurs in another, without overlaps (Knuth, Morris and Pratt: V8 would take the product of both lengths). */
export function offsetsOf(part: string, text: string, budget: Budget): readonly number[] {
  if (part.length <= SHORT) return shortOffsets(part, text, budget)
  spendCharacters(budget, (part.length + text.length) >>> 2)
  const borders = bordersOf(part)
  const offsets: number[] = []
  let matched = 0
  for (let at = 0; at < text.length; at += 1) {
    matched = longer(part, borders, { matched, unit: text.charCodeAt(at) })
    if (matched < part.length) continue
    offsets.push(at + 1 - part.length)
    matched = 0
  }
  return offsets
}

/** Whether a text occurs in another. */
export function occursIn(part: string, text: string, budget: Budget): boolean {
  return part.length <= SHORT ? text.includes(part) : offsetsOf(part, text, budget).length > 0
}

interface Matching {
  /** How much of the text matches what comes before. */
  readonly matched: number
  readonly unit: number
}

/** How much of the text matches with one more unit. */
function longer(text: string, borders: Int32Array, { matched, unit }: Matching): number {
  let length = matched
  while (length > 0 && text.charCodeAt(length) !== unit) length = borders[length - 1] ?? 0
  return text.charCodeAt(length) === unit ? length + 1 : 0
}

function shortOffsets(part: string, text: string, budget: Budget): readonly number[] {
  const offsets: number[] = []
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) {
    offsets.push(at)
    spendCharacters(budget, 1)
  }
  return offsets
}

/** For each beginning of a text, the length of the longest shorter one that it ends with. */
function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length)
  for (let at = 1; at < text.length; at += 1) {
    borders[at] = longer(text, borders, { matched: borders[at - 1] ?? 0, unit: text.charCodeAt(at) })
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
