import { printable } from '@davit/diagnostics'
import { Float, parseNumber, type Written } from '@davit/languages'
import type { Compilation } from '../compilation.ts'
import type { Spot } from '../finding.ts'
import type { Effective } from '../resolution/effective.ts'
import type { Bag } from '../resolution/read-stack.ts'
import { typeOf } from '../types/resolve-type.ts'
import { rootOf } from '../types/type.ts'

/** An argument of the command line. */
export interface RootArgument {
  readonly name: string
  readonly value: string
  /** How it was written: the first of its words. */
  readonly word: string
}

/** Reads the words behind `--`, in their order: `k=v`, or `k` with the next word, or `k` alone, which is true. */
export function readArguments(words: readonly string[]): readonly RootArgument[] {
  const read: RootArgument[] = []
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? ''
    const [, name = '', value] = /^(?:--?)?([^=]*)(?:=([^]*))?$/.exec(word) ?? []
    const next = words[index + 1]
    if (value !== undefined) read.push({ name, value, word })
    else if (next === undefined || next.startsWith('-')) read.push({ name, value: 'true', word })
    else {
      read.push({ name, value: next, word })
      index += 1
    }
  }
  return read
}

/** Reads the words behind `--`; of an argument that is given twice, the last one counts. */
export function parseArguments(words: readonly string[]): ReadonlyMap<string, string> {
  return new Map(readArguments(words).map(({ name, value }) => [name, value]))
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
