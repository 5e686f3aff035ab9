import { checkLength, spendCharacters } from '../budget.ts'
import { charactersOf } from '../characters-of.ts'
import type { Run } from '../run.ts'
import { ActionFailure } from '../template-error.ts'
import { isBlank, lowerText, upperText } from './characters.ts'
import { any, count, type Parameter, readsCharacters, reshapes, takes, text } from './definition.ts'
import { trimmed } from './reshape.ts'
import { occursIn, offsetsOf, partsBetween } from './search.ts'

/** A number of characters or repetitions. */
const size: Parameter<number> = (value) => {
  const number = count(value)
  if (number >= 0) return number
  throw new ActionFailure(`expected a number that is not negative, not ${number}`)
}

function substring(from: number, to: number, value: string): string {
  if (from < 0) return charactersOf(value, 0, Math.max(to, 0))
  return charactersOf(value, from, to < 0 ? Infinity : to)
}

/** Characters are passed one after the other up to the last that is taken. */
function spendPassing({ budget }: Run, value: string, ...ends: readonly number[]): void {
  spendCharacters(budget, Math.min(value.length, Math.max(0, ...ends)) >>> 2)
}

function repeated(times: number, value: string): string {
  checkLength(times * value.length)
  return value.repeat(times)
}

/** An empty old text is found before each character and at the end. */
function replaced([old, by, value]: readonly [string, string, string], { budget }: Run): string {
  if (old === '') {
    spendCharacters(budget, value.length)
    checkLength(value.length + (value.length + 1) * by.length)
    return value.replaceAll(/(?:)/gu, () => by)
  }
  const offsets = offsetsOf(old, value, budget)
  checkLength(value.length + offsets.length * (by.length - old.length))
  return partsBetween(value, offsets, old.length).join(by)
}

const trimAll = takes([text, text], ([characters, value], run) => {
  spendCharacters(run.budget, characters.length)
  const set = new Set(characters)
  return trimmed(value, (character) => set.has(character), run)
})

export const texts = {
  upper: readsCharacters(upperText),
  lower: readsCharacters(lowerText),
  trim: reshapes([], (value, _, run) => trimmed(value, isBlank, run)),
  trimAll,
  trimall: trimAll,
  trimPrefix: takes([text, text], ([prefix, value]) => (value.startsWith(prefix) ? value.slice(prefix.length) : value)),
  trimSuffix: takes([text, text], ([suffix, value]) =>
    value.endsWith(suffix) ? value.slice(0, value.length - suffix.length) : value,
  ),
  trunc: takes([size, text], ([length, value], run) => {
    spendPassing(run, value, length)
    return charactersOf(value, 0, length)
  }),
  substr: takes([count, count, text], ([from, to, value], run) => {
    spendPassing(run, value, from, to)
    return substring(from, to, value)
  }),
  repeat: takes([size, text], ([times, value]) => repeated(times, value)),
  replace: takes([text, text, text], (values, run) => replaced(values, run)),
  contains: takes([text, text], ([part, value], { budget }) => occursIn(part, value, budget)),
  hasPrefix: takes([text, text], ([prefix, value]) => value.startsWith(prefix)),
  hasSuffix: takes([text, text], ([suffix, value]) => value.endsWith(suffix)),
  plural: takes([any, any, count], ([one, many, number]) => (number === 1 ? one : many)),
}
