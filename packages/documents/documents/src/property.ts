import { Float, nameOfCharacter, NOT_XML } from '@davit/languages'
import * as v from 'valibot'
import { accepting, isRecord, list, table } from './quick-schemas.ts'

/** Free-form data of models, such as the properties of containers and targets. There is no `null`. */
export type PropertyValue = string | number | boolean | Float | readonly PropertyValue[] | Properties
export type Properties = ReadonlyMap<string, PropertyValue>

/** Negative zero becomes zero. */
const exactNumber = v.pipe(
  v.number(),
  v.check(
    (value) => Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value)),
    'expected a number that can be stored exactly',
  ),
  v.transform((value) => value + 0),
)

/** Text without characters that cannot occur in XML 1.0 (such as NUL), so that every document has both forms and modules get the exact text. */
export const text = accepting(
  v.pipe(
    v.string(),
    v.check(
      (value) => !NOT_XML.test(value),
      ({ input }) => `expected text without character ${nameOfCharacter(NOT_XML.exec(input)?.[0] ?? '')}`,
    ),
  ),
  (input) => typeof input === 'string' && !NOT_XML.test(input),
)

const scalar = v.union(
  [text, exactNumber, v.boolean(), v.instance(Float)],
  'expected text, a number, true or false, a list or a table',
)

export const propertyValue: v.GenericSchema<unknown, PropertyValue> = v.lazy(
  (input): v.GenericSchema<unknown, PropertyValue> => {
    if (Array.isArray(input)) return list(propertyValue)
    return isRecord(input) ? properties : scalar
  },
)

export const properties: v.GenericSchema<unknown, Properties> = table(
  text,
  v.lazy(() => propertyValue),
)
