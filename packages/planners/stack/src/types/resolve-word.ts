import type { Compilation } from '../compilation.ts'
import type { PropertyDeclaration, SchemaDeclaration } from '../mufile/body.ts'
import { completed } from '../references/pins.ts'
import { type Effective, schemaHolderOf } from '../resolution/effective.ts'
import { findStack, requireStack } from '../resolution/find-stack.ts'
import { enterReference, followNested, plainWord, resolveFile, type StackWord } from '../resolution/resolve-stack.ts'
import type { FoundStack } from '../resolution/stack-file.ts'
import type { NestedStack, TypePlace } from './type.ts'
import { hintForType, type TypeExpression } from './type-expression.ts'

/** What a word of a type leads to. */
export type WordTarget =
  | { readonly kind: 'schema'; readonly holder: Effective; readonly declaration: SchemaDeclaration }
  | ({ readonly kind: 'nested' } & NestedStack)
  | { readonly kind: 'file'; readonly found: FoundStack }
  /** A stack whose schema has the last part of the word as its name, if it has that. */
  | { readonly kind: 'foreign'; readonly found: FoundStack; readonly schema: string }

type Word = TypeExpression & { readonly kind: 'word' }

/** Looks a word up, once for each stack in which it is needed; undefined if it leads nowhere, which is reported. Reads no stack. */
export function targetOfWord(c: Compilation, { effective, spot }: TypePlace, word: Word): WordTarget | undefined {
  const { words } = effective
  if (words.has(word)) return words.get(word)
  const target = lookUp(c, { effective, spot, reference: word.reference })
  words.set(word, target)
  return target
}

/** Looks up all words in a type, and refuses keys of maps that cannot be any. */
export function resolveType(c: Compilation, place: TypePlace, type: TypeExpression | undefined): void {
  switch (type?.kind) {
    case undefined:
    case 'primitive':
      return
    case 'list':
      resolveType(c, place, type.element)
      return
    case 'map':
      resolveType(c, place, type.value)
      if (!isKey(type.key)) c.report('MU154', [type.text], { spot: place.spot })
      return
    case 'inline':
      resolveSchema(c, place.effective, type.schema)
      return
    case 'word':
      targetOfWord(c, place, type)
  }
}

export function resolveSchema(c: Compilation, effective: Effective, schema: SchemaDeclaration): void {
  resolveType(c, { effective, spot: schema.baseSpot }, schema.base)
  resolveProperties(c, effective, schema.properties)
}

export function resolveProperties(
  c: Compilation,
  effective: Effective,
  properties: ReadonlyMap<string, PropertyDeclaration> = new Map(),
): void {
  for (const { type, typeSpot } of properties.values()) resolveType(c, { effective, spot: typeSpot }, type)
}

const KEYS: ReadonlySet<string> = new Set(['string', 'number', 'bool'])

/** Whether a map can have keys of a type. */
export function isKey(type: TypeExpression): type is TypeExpression & { readonly kind: 'primitive' } {
  return type.kind === 'primitive' && KEYS.has(type.name)
}

function lookUp(c: Compilation, word: StackWord): WordTarget | undefined {
  const schema = schemaAround(word)
  if (schema !== undefined) return schema
  const followed = followNested(c, word)
  if (followed.kind === 'wrong') return undefined
  if (followed.kind === 'body') return { kind: 'nested', body: followed.body, outer: followed.outer }
  if (followed.word === word && canBeSchema(c, word)) return foreignTarget(c, word)
  const hint = hintForType(plainWord(followed.word.reference))
  const target = resolveFile(c, { ...followed.word, hint })
  return target && { kind: 'file', found: target.found }
}

/** Looks for a schema of that name in the stack, and in those around it. */
function schemaAround({ reference, effective }: StackWord): WordTarget | undefined {
  const name = plainWord(reference) ?? ''
  const holder = schemaHolderOf(effective, name)
  const declaration = holder?.schemas.get(name)
  return holder && declaration && { kind: 'schema', holder, declaration }
}

/** Whether a word is no stack, but may name a schema of another one. */
function canBeSchema(c: Compilation, { reference }: StackWord): boolean {
  if (!reference.name.includes('/')) return false
  return findStack(c, completed(reference, c.options.workspace.pins)).kind === 'absent'
}

/** Takes a word that is no stack as `stack/Schema`; undefined if there is no such stack either, which is reported. */
function foreignTarget(c: Compilation, word: StackWord): WordTarget | undefined {
  const { reference, spot } = word
  const end = reference.name.lastIndexOf('/')
  const owner = completed({ ...reference, name: reference.name.slice(0, end) }, c.options.workspace.pins)
  if (findStack(c, owner).kind === 'absent') {
    resolveFile(c, { ...word, owner })
    return undefined
  }
  enterReference(c, word, owner)
  const found = requireStack(c, owner, { spot })
  return found && { kind: 'foreign', found, schema: reference.name.slice(end + 1) }
}
