import * as v from 'valibot'

import { serviceName } from './ids.ts'
import { mapping } from './mapping.ts'
import { list } from './quick-schemas.ts'

const namedMapping = v.object({ ...mapping.entries, name: serviceName })

/** A mapping with the name of its service, for readers without a manifest. */
export type NamedMapping = v.InferOutput<typeof namedMapping>

/** Parses a list of such mappings; undefined for anything else. */
export function parseNamedMappings(value: unknown): readonly NamedMapping[] | undefined {
  const result = v.safeParse(list(namedMapping), value)
  return result.success ? result.output : undefined
}
