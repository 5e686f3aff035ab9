import type { Written } from '@davit/languages'
import type { Spot } from '../finding.ts'
import type { StackFile } from '../resolution/stack-file.ts'
import type { TypeExpression } from '../types/type-expression.ts'
import type { StackValue } from '../values/stack-value.ts'

/** A text of a stack file, and where it is. */
export interface TextAt {
  readonly text: string
  readonly spot: Spot
}

export interface PropertyDeclaration {
  readonly name: string
  /** Undefined if it is malformed, which has been reported. */
  readonly type: TypeExpression | undefined
  readonly typeSpot: Spot
  readonly spot: Spot
  /** Null is no default. */
  readonly default: Written | undefined
  readonly isOptional: boolean
  readonly isReadonly: boolean
  readonly perturbs: boolean
}

export const CONSTRAINTS = ['pattern', 'maxLength', 'minLength', 'maximum', 'minimum', 'enum'] as const

export interface Constraint {
  readonly kind: (typeof CONSTRAINTS)[number]
  readonly wanted: StackValue
  readonly spot: Spot
}

export interface SchemaDeclaration {
  /** Undefined for inline schemas. */
  readonly name: string | undefined
  readonly isPublic: boolean
  readonly written: Written
  readonly spot: Spot
  readonly base: TypeExpression | undefined
  readonly baseSpot: Spot
  /** Present for objects. */
  readonly properties: ReadonlyMap<string, PropertyDeclaration> | undefined
  readonly constraints: readonly Constraint[]
}

export interface ServiceDeclaration {
  /** As it is written: a name, or a reference where there is no type. */
  readonly key: string
  readonly isPublic: boolean
  readonly type: TextAt | undefined
  readonly args: ReadonlyMap<string, Written>
  readonly spot: Spot
}

export type NestedDeclaration =
  | { readonly kind: 'body'; readonly name: string; readonly body: Body }
  | {
      readonly kind: 'preset'
      readonly name: string
      readonly type: TextAt
      readonly args: ReadonlyMap<string, Written>
    }

/** What a stack file or a nested stack states. */
export interface Body {
  /** The same for the same stack, however it is referred to, and different for different ones. */
  readonly id: string
  readonly file: StackFile
  readonly spot: Spot
  /** That of a nested stack is its key, if it has none. */
  readonly name: TextAt | undefined
  readonly version: TextAt | undefined
  readonly base: TextAt | undefined
  readonly isAbstract: boolean
  readonly isIntrinsic: boolean
  readonly metadata: ReadonlyMap<string, StackValue>
  readonly properties: ReadonlyMap<string, PropertyDeclaration>
  readonly schemas: readonly SchemaDeclaration[]
  readonly nested: ReadonlyMap<string, NestedDeclaration>
  readonly services: readonly ServiceDeclaration[]
}
