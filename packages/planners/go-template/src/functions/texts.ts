import { checkLength } from '../budget.ts'
import { ActionFailure } from '../template-error.ts'
import { isBlank, lowerText, upperText } from './characters.ts'
import { any, count, type Parameter, reshapes, takes, text } from './definition.ts'
import { trimmed } from './reshape.ts'

/** A number of characters or repetitions. */
const size: Parameter<number> = (value) => {
  const number = count(value)
  if (number >= 0) return number
  throw new ActionFailure(`expected a number that is not negative, not ${number}`)
}

/** Returns characters, so that none is cut in two. */
function slice(value: string, from: number, to = Infinity): string {
  if (value.length <= from) return ''
  return Array.from(value).slice(from, to).join('')
}

function substring(from: number, to: number, value: string): string {
  if (from < 0) return slice(value, 0, Math.max(to, 0))
  return to < 0 ? slice(value, from) : slice(value, from, to)
}

function repeated(times: number, value: string): string {
  checkLength(times * value.length)
  return value.repeat(times)
}

/** An empty old text is found before each character and at the end. */
function replaced(old: string, by: string, value: string): string {
  const pattern = old === '' ? /(?:)/gu : old
  let found = 0
  if (old === '') found = value.length + 1
  else for (let at = value.indexOf(old); at >= 0; at = value.indexOf(old, at + old.length)) found += 1
  checkLength(value.length + found * (by.length - old.length))
  return value.replaceAll(pattern, () => by)
}

const trimAll = takes([text, text], ([characters, value]) => {
  const set = new Set(characters)
  return trimmed(value, (character) => set.has(character))
})

export const texts = {
  upper: takes([text], ([value]) => upperText(value)),
  lower: takes([text], ([value]) => lowerText(value)),
  trim: reshapes([], (value) => trimmed(value, isBlank)),
  trimAll,
  trimall: trimAll,
  trimPrefix: takes([text, text], ([prefix, value]) => (value.startsWith(prefix) ? value.slice(prefix.length) : value)),
  trimSuffix: takes([text, text], ([suffix, value]) =>
    value.endsWith(suffix) ? value.slice(0, value.length - suffix.length) : value,
  ),
  trunc: takes([size, text], ([length, value]) => (value.length <= length ? value : slice(value, 0, length))),
  substr: takes([count, count, text], ([from, to, value]) => substring(from, to, value)),
  repeat: takes([size, text], ([times, value]) => repeated(times, value)),
  replace: takes([text, text, text], ([old, by, value]) => replaced(old, by, value)),
  contains: takes([text, text], ([part, value]) => value.includes(part)),
  hasPrefix: takes([text, text], ([prefix, value]) => value.startsWith(prefix)),
  hasSuffix: takes([text, text], ([suffix, value]) => value.endsWith(suffix)),
  plural: takes([any, any, count], ([one, many, number]) => (number === 1 ? one : many)),
}
