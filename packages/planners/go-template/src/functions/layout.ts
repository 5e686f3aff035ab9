import { checkLength, spendCharacters } from '../budget.ts'
import type { Run } from '../run.ts'
import { ActionFailure } from '../template-error.ts'
import { count, type Parameter, reshapes, takes, text } from './definition.ts'
import { indented } from './reshape.ts'

const width: Parameter<number> = (value) => {
  const number = count(value)
  if (number >= 0 && number <= MAX_WIDTH) return number
  throw new ActionFailure(`expected a width from 0 to ${MAX_WIDTH}, not ${number}`)
}

const MAX_WIDTH = 1_000_000

interface Wrapping {
  readonly width: number
  readonly separator: string
  /** Whether words that are longer than a line are cut. */
  readonly cuts: boolean
}

/** Breaks lines at blanks. Line breaks in the text are characters like any other. */
function wrapped(value: string, wrapping: Wrapping, { budget }: Run): string {
  spendCharacters(budget, value.length)
  const characters = Array.from(value)
  const width = Math.max(1, wrapping.width)
  const lines: string[] = []
  let at = 0
  while (characters.length - at > width) {
    if (characters[at] === ' ') {
      at += 1
      continue
    }
    const { end, next } = lineFrom(characters, at, { ...wrapping, width })
    lines.push(characters.slice(at, end).join(''))
    if (next === undefined) return joinedLines(lines, wrapping)
    at = next
  }
  return joinedLines([...lines, characters.slice(at).join('')], wrapping)
}

/** Where the line ends, and where the next one begins, if there is one. */
function lineFrom(
  characters: readonly string[],
  at: number,
  { width, cuts }: Wrapping,
): { end: number; next?: number } {
  const blank = lastBlank(characters, at, at + width)
  if (blank >= at) return { end: blank, next: blank + 1 }
  if (cuts) return { end: at + width, next: at + width }
  const end = characters.indexOf(' ', at + width)
  return end < 0 ? { end: characters.length } : { end, next: end + 1 }
}

/** Looks for the last blank between two places; less than the first if there is none. */
function lastBlank(characters: readonly string[], from: number, to: number): number {
  let at = to
  while (at >= from && characters[at] !== ' ') at -= 1
  return at
}

function joinedLines(lines: readonly string[], { separator }: Wrapping): string {
  checkLength(lines.reduce((length, line) => length + line.length + separator.length, 0))
  return lines.join(separator)
}

export const layout = {
  indent: reshapes([width], (value, [wide = 0], run) => indented(value, wide, run)),
  wrap: takes([width, text], ([wide, value], run) =>
    wrapped(value, { width: wide, separator: '\n', cuts: false }, run),
  ),
  wrapWith: takes([width, text, text], ([wide, separator, value], run) =>
    wrapped(value, { width: wide, separator: separator === '' ? '\n' : separator, cuts: true }, run),
  ),
}
