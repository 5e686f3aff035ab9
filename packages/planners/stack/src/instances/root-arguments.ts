import { printable } from '@davit/diagnostics'
import { Float, parseNumber, type Written } from '@davit/languages'
import type { Compilation } from '../compilation.ts'
import type { Spot } from '../finding.ts'
import type { Effective } from '../resolution/effective.ts'
import type { Bag } from '../resolution/read-stack.ts'
import { typeOf } from '../types/resolve-type.ts'
import { rootOf } from '../types/type.ts'

/** Reads the words behind `--`: `k=v`, or `k` with the next word, or `k` alone, which is true. */
export function parseArguments(words: readonly string[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (let index = 0; index < words.length; index += 1) {
    const word = (words[index] ?? '').replace(/^--?/, '')
    const end = word.indexOf('=')
    const next = words[index + 1]
    if (end !== -1) values.set(word.slice(0, end), word.slice(end + 1))
    else if (next === undefined || next.startsWith('-')) values.set(word, 'true')
    else {
      values.set(word, next)
      index += 1
    }
  }
  return values
}

/** The arguments as text, as templates see them. */
export function bagOfArguments(values: ReadonlyMap<string, string>): Bag {
  return new Map([...values].map(([name, text]) => [name, scalar(text, text, spotOf(name))]))
}

/** Arguments have no line; messages name them. */
function spotOf(name: string): Spot {
  return { source: { placeAt: () => ({ file: `<argument ${printable(name)}>` }) }, offset: 0 }
}

function scalar(value: string | number | boolean, text: string, { source, offset }: Spot): Written {
  return { kind: 'scalar', value, text, source, offset }
}

/** Converts what reads as a number or truth value where the stack declares one. */
export function convertArguments(c: Compilation, effective: Effective, bag: Bag): Bag {
  return new Map(
    [...bag].map(([name, written]) => {
      const declaration = effective.properties.get(name)
      if (declaration?.type === undefined || written.kind !== 'scalar') return [name, written]
      const type = typeOf(c, { effective, spot: declaration.typeSpot }, declaration.type)
      return [name, scalar(converted(written.text, rootOf(type)), written.text, written)]
    }),
  )
}

function converted(text: string, root: string): string | number | boolean {
  if (root === 'bool' && (text === 'true' || text === 'false')) return text === 'true'
  const number = root === 'number' ? parseNumber(text) : undefined
  if (number instanceof Float) return number.value
  return typeof number === 'number' ? number : text
}
