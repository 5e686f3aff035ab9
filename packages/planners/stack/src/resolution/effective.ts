import type { Written } from '@davit/languages'
import type { FirstSpec } from '../compilation.ts'
import type { Spot } from '../finding.ts'
import type { Body, NestedDeclaration, PropertyDeclaration, SchemaDeclaration, TextAt } from '../mufile/body.ts'
import type { Reference } from '../references/reference.ts'
import type { Schema, Type } from '../types/type.ts'
import type { WordTarget } from '../types/resolve-word.ts'
import type { TypeExpression } from '../types/type-expression.ts'
import type { Bag } from './read-stack.ts'
import type { FoundStack } from './stack-file.ts'

/** A service of an effective stack. */
export interface ServiceEntry {
  readonly name: string
  /** As it is written where it was declared last. */
  readonly key: string
  readonly isPublic: boolean
  /** What it is an instance of, as it is written. */
  readonly type: TextAt
  readonly reference: Reference
  readonly args: Bag
  readonly spot: Spot
  /** The declaration that this one merges with, if it is declared again. */
  readonly inherited: ServiceEntry | undefined
}

/** What a word for a stack leads to. */
export type StackTarget =
  | { readonly kind: 'file'; readonly found: FoundStack; readonly presets: Bag }
  | { readonly kind: 'body'; readonly body: Body; readonly outer: Effective; readonly presets: Bag }

/** A reference with another spec than the first one of the same stack in its file. */
export interface SpecConflict {
  readonly name: string
  readonly spot: Spot
  readonly first: FirstSpec
}

/** A stack together with what it inherits. */
export interface Effective {
  readonly body: Body
  readonly name: string
  readonly base: Effective | undefined
  /** The stack around a nested one. */
  readonly outer: Effective | undefined
  /** This stack and its bases. */
  readonly chain: readonly Effective[]
  readonly properties: ReadonlyMap<string, PropertyDeclaration>
  readonly schemas: ReadonlyMap<string, SchemaDeclaration>
  readonly nested: ReadonlyMap<string, NestedDeclaration>
  /** Private ones first, both in the order of their keys. */
  readonly services: readonly ServiceEntry[]
  /** Targets of services, by their names; those that were not found are missing. */
  readonly targets: Map<string, StackTarget>
  /** References to files that were looked up for it, in their canonical forms. */
  readonly references: Set<string>
  readonly conflicts: SpecConflict[]
  /** What the words of types lead to; undefined ones lead nowhere. */
  readonly words: Map<TypeExpression, WordTarget | undefined>
  readonly types: Map<TypeExpression, Type>
  readonly schemaTypes: Map<SchemaDeclaration, Schema>
  /** The step in which errors in it were reported: then it is not instantiated. */
  failedAt: 'resolve' | 'bind' | undefined
}

/** Returns the holder of a nested stack: the innermost stack around a word that has one of that name. */
export function holderOf(effective: Effective | undefined, name: string): Effective | undefined {
  for (let holder = effective; holder !== undefined; holder = holder.outer) if (holder.nested.has(name)) return holder
  return undefined
}

/** Returns the innermost stack around a word that has a schema of that name. */
export function schemaHolderOf(effective: Effective | undefined, name: string): Effective | undefined {
  for (let holder = effective; holder !== undefined; holder = holder.outer) if (holder.schemas.has(name)) return holder
  return undefined
}

/** Merges tables deeply; lists and scalars replace what was there. */
export function mergeBags(under: Bag, over: Bag): Bag {
  if (under.size === 0) return over
  if (over.size === 0) return under
  const merged = new Map(under)
  for (const [key, value] of over) merged.set(key, mergeValues(under.get(key), value))
  return merged
}

function mergeValues(under: Written | undefined, over: Written): Written {
  if (under?.kind !== 'table' || over.kind !== 'table') return over
  return { ...over, members: mergeBags(under.members, over.members) }
}
