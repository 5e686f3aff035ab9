import { isTrue } from '../values.ts'
import { plain } from '../run.ts'
import { any, chooses, takes } from './definition.ts'

/** Gives the last argument. `and` and `or` are evaluated where their arguments are. */
const last = chooses({ least: 1, most: Infinity }, (values) => values.at(-1) ?? null)

export const logic = {
  and: last,
  or: last,
  not: takes([any], ([value]) => !isTrue(value)),
  default: chooses({ least: 2 }, ([otherwise = null, value = null]) => (isTrue(plain(value)) ? value : otherwise)),
  empty: takes([any], ([value]) => !isTrue(value)),
}
