import { plain, type Value } from '../run.ts'
import { ActionFailure } from '../template-error.ts'
import type { TemplateValue } from '../template-file.ts'
import { any, chooses, map, type Parameter, spendElements, takes, takesAll, text } from './definition.ts'

/** Nil is a map without keys: an optional map may be absent. */
const mapOrNil: Parameter<ReadonlyMap<string, TemplateValue>> = (value) => (value === null ? new Map() : map(value))

function valueOr(of: Value, key: Value, otherwise: Value): Value {
  const [among, name] = [mapOrNil(plain(of)), text(plain(key))]
  return among.has(name) ? (among.get(name) ?? null) : otherwise
}

function pairs(values: readonly TemplateValue[]): ReadonlyMap<string, TemplateValue> {
  if (values.length % 2 > 0) throw new ActionFailure('expected a value for each key: an even number of arguments')
  return new Map(
    values.flatMap((key, index) => (index % 2 === 0 ? [[text(key), values[index + 1] ?? null] as const] : [])),
  )
}

export const maps = {
  has: takes([mapOrNil, text], ([of, key]) => of.has(key)),
  orElse: chooses({ least: 3 }, ([of = null, key = null, otherwise = null]) => valueOr(of, key, otherwise)),
  orEmpty: chooses({ least: 2 }, ([of = null, key = null]) => valueOr(of, key, '')),
  dict: takesAll(any, 0, (values, run) => {
    spendElements(run, values.length)
    return pairs(values)
  }),
}
