import type { Compilation } from '../compilation.ts'
import { completed } from '../references/pins.ts'
import { parseReference } from '../references/reference.ts'
import { findStack } from '../resolution/find-stack.ts'
import type { FoundStack } from '../resolution/stack-file.ts'
import { isEqual, valueOf } from '../values/stack-value.ts'
import type { Type } from './type.ts'

/** Whether all values of a type are values of another one. */
export function isNarrower(c: Compilation, narrow: Type, wide: Type): boolean {
  if (wide.kind === 'primitive') return isPrimitive(narrow, wide.name)
  switch (narrow.kind) {
    case 'unknown':
      return true
    case 'primitive':
      return false
    case 'list':
      return wide.kind === 'list' && isNarrower(c, narrow.element, wide.element)
    case 'map':
      return wide.kind === 'map' && isNarrowerMap(c, narrow, wide)
    case 'stack':
      return wide.kind === 'stack' && isSubclass(c, narrow, wide.id)
    case 'schema':
      return isSame(narrow, wide) || isBaseNarrower(c, narrow, wide)
  }
}

type MapType = Type & { kind: 'map' }

function isNarrowerMap(c: Compilation, narrow: MapType, wide: MapType): boolean {
  return narrow.key.name === wide.key.name && isNarrower(c, narrow.value, wide.value)
}

function isBaseNarrower(c: Compilation, { schema }: Type & { kind: 'schema' }, wide: Type): boolean {
  return schema.base !== undefined && isNarrower(c, schema.base, wide)
}

/** Schemas without names are the same if they are written so. */
function isSame({ schema }: Type & { kind: 'schema' }, wide: Type): boolean {
  if (wide.kind !== 'schema') return false
  const [one, other] = [schema.declaration, wide.schema.declaration]
  if (one.name !== undefined || other.name !== undefined) return one === other
  return isEqual(valueOf(one.written), valueOf(other.written))
}

function isPrimitive(narrow: Type, name: string): boolean {
  if (name === 'any' || narrow.kind === 'unknown') return true
  if (narrow.kind === 'primitive') return narrow.name === name
  if (narrow.kind === 'stack') return name === 'service'
  return narrow.kind === 'schema' && narrow.schema.base !== undefined && isPrimitive(narrow.schema.base, name)
}

/** Goes along the bases that files state without templates. */
function isSubclass(c: Compilation, narrow: Type & { kind: 'stack' }, wide: string): boolean {
  if (narrow.id === wide) return true
  const seen = new Set<string>()
  for (let found = narrow.found; found !== undefined && !seen.has(found.file.path); found = baseOf(c, found)) {
    if (found.file.path === wide) return true
    seen.add(found.file.path)
  }
  return false
}

function baseOf(c: Compilation, { file }: FoundStack): FoundStack | undefined {
  const reference = parseReference(file.stated.get('base') ?? '')
  const result = reference && findStack(c, completed(reference, c.options.workspace.pins))
  return result?.kind === 'found' ? result.stack : undefined
}
