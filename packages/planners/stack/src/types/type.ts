import type { Spot } from '../finding.ts'
import type { Body, SchemaDeclaration } from '../mufile/body.ts'
import type { Effective } from '../resolution/effective.ts'
import type { FoundStack } from '../resolution/stack-file.ts'
import type { Primitive } from './type-expression.ts'

/** A type whose words have been looked up; `name` is what messages call it. */
export type Type =
  | { readonly kind: 'primitive'; readonly name: Primitive }
  | { readonly kind: 'list'; readonly name: string; readonly element: Type }
  | { readonly kind: 'map'; readonly name: string; readonly key: Type; readonly value: Type }
  | StackType
  | { readonly kind: 'schema'; readonly name: string; readonly schema: Schema }
  /** A type that is wrong, which has been reported: nothing is checked against it. That of a ring is a schema that is based on itself. */
  | { readonly kind: 'unknown'; readonly name: string; readonly isRing?: true }

export interface StackType {
  readonly kind: 'stack'
  readonly name: string
  /** That of the stack's body. */
  readonly id: string
  /** Present if the stack is a file of its own. */
  readonly found: FoundStack | undefined
  /** Present if it is a nested one. */
  readonly nested: NestedStack | undefined
}

export interface NestedStack {
  readonly body: Body
  /** The stack around it. */
  readonly outer: Effective
}

export interface Schema {
  readonly declaration: SchemaDeclaration
  /** The stack in which its words are looked up. */
  readonly home: Effective
  /** Undefined for objects. */
  readonly base: Type | undefined
  /** Whether its base is being looked up. */
  readonly isOpen: boolean
}

/** What the values of a type are in the end: a primitive, or `object`, `list`, `map`, `stack`. */
export function rootOf(type: Type): string {
  if (type.kind === 'primitive') return type.name
  if (type.kind !== 'schema') return type.kind
  return type.schema.base === undefined ? 'object' : rootOf(type.schema.base)
}

/** A place in a stack at which a type is written. */
export interface TypePlace {
  readonly effective: Effective
  readonly spot: Spot
}
