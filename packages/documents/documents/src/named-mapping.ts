import * as v from 'valibot'

import { serviceName } from './ids.ts'
import { mapping } from './mapping.ts'
import { list } from './property.ts'

const namedMapping = v.object({ ...mapping.entries, name: serviceName })

/** A mapping with the name of its service, for those who have no manifest that says it. */
export type NamedMapping = v.InferOutput<typeof namedMapping>

/** Nothing where the value is something else. */
export function parseNamedMappings(value: unknown): readonly NamedMapping[] | undefined {
  const result = v.safeParse(list(namedMapping), value)
  return result.success ? result.output : undefined
}
