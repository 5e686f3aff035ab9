import type { Compilation } from '../compilation.ts'
import { completed } from '../references/pins.ts'
import { parseReference, type Reference } from '../references/reference.ts'
import { findStack } from '../resolution/find-stack.ts'
import { followNested } from '../resolution/resolve-stack.ts'
import { isEqual, valueOf } from '../values/stack-value.ts'
import { nestedType, stackType } from './resolve-type.ts'
import type { NestedStack, StackType, Type } from './type.ts'

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

/** Goes along the bases of nested stacks, and along those that files state without templates. */
function isSubclass(c: Compilation, narrow: StackType, wide: string): boolean {
  const seen = new Set<string>()
  let stack: StackType | undefined = narrow
  for (; stack !== undefined && !seen.has(stack.id); stack = baseOf(c, stack)) {
    if (stack.id === wide) return true
    seen.add(stack.id)
  }
  return false
}

function baseOf(c: Compilation, { found, nested }: StackType): StackType | undefined {
  if (nested !== undefined) return baseOfNested(c, nested)
  const reference = parseReference(found?.file.stated.get('base') ?? '')
  return reference && fileType(c, reference)
}

function baseOfNested(c: Compilation, { body, outer }: NestedStack): StackType | undefined {
  const { text, spot } = body.base ?? { text: '', spot: body.spot }
  const reference = parseReference(text)
  const followed = reference && followNested(c, { effective: outer, reference, spot })
  if (followed?.kind === 'body') return nestedType(followed)
  return followed?.kind === 'file' ? fileType(c, followed.word.reference) : undefined
}

function fileType(c: Compilation, reference: Reference): StackType | undefined {
  const result = findStack(c, completed(reference, c.options.workspace.pins))
  return result.kind === 'found' ? stackType(result.stack) : undefined
}
