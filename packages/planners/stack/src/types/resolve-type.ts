import type { Compilation } from '../compilation.ts'
import type { Body, SchemaDeclaration } from '../mufile/body.ts'
import { completed } from '../references/pins.ts'
import type { Reference } from '../references/reference.ts'
import { type Effective, schemaHolderOf } from '../resolution/effective.ts'
import { findStack, requireStack } from '../resolution/find-stack.ts'
import { enterReference, followNested, plainWord, resolveFile, type StackWord } from '../resolution/resolve-stack.ts'
import type { FoundStack } from '../resolution/stack-file.ts'
import type { Schema, StackType, Type, TypePlace } from './type.ts'
import type { TypeExpression } from './type-expression.ts'

/** Looks up the words of a type; what is wrong is reported once for each stack. */
export function typeOf(c: Compilation, place: TypePlace, expression: TypeExpression): Type {
  const { types } = place.effective
  const known = types.get(expression)
  if (known !== undefined) return known
  const type = lookUp(c, place, expression)
  types.set(expression, type)
  return type
}

function lookUp(c: Compilation, place: TypePlace, expression: TypeExpression): Type {
  switch (expression.kind) {
    case 'primitive':
      return expression
    case 'list': {
      const element = typeOf(c, place, expression.element)
      return { kind: 'list', name: `${element.name}[]`, element }
    }
    case 'map':
      return mapType(c, place, expression)
    case 'inline': {
      const schema = schemaOf(c, place.effective, expression.schema)
      return { kind: 'schema', name: schema.base?.name ?? 'object', schema }
    }
    case 'word':
      return wordType(c, { ...place, reference: expression.reference }, expression.text)
  }
}

const KEYS: ReadonlySet<string> = new Set(['string', 'number', 'bool'])

function mapType(c: Compilation, place: TypePlace, { key, value, text }: TypeExpression & { kind: 'map' }): Type {
  const isKey = key.kind === 'primitive' && KEYS.has(key.name)
  const values = typeOf(c, place, value)
  if (!isKey) {
    c.report('MU154', [text], { spot: place.spot })
    return { kind: 'unknown', name: text }
  }
  return { kind: 'map', name: `map[${key.name}]${values.name}`, key, value: values }
}

export function schemaOf(c: Compilation, home: Effective, declaration: SchemaDeclaration): Schema {
  const known = home.schemaTypes.get(declaration)
  if (known !== undefined) return known
  const schema: { -readonly [Key in keyof Schema]: Schema[Key] } = { declaration, home, base: undefined }
  home.schemaTypes.set(declaration, schema)
  const { base, baseSpot } = declaration
  if (base === undefined) return schema
  const type = typeOf(c, { effective: home, spot: baseSpot }, base)
  schema.base = isBasedOn(type, schema) ? { kind: 'unknown', name: type.name } : type
  if (schema.base !== type)
    c.report('MU516', [type.name], { spot: baseSpot, message: 'schemas are based on each other' })
  return schema
}

function isBasedOn(type: Type, schema: Schema): boolean {
  for (let base: Type | undefined = type; base?.kind === 'schema'; base = base.schema.base) {
    if (base.schema === schema) return true
  }
  return false
}

function wordType(c: Compilation, word: StackWord, text: string): Type {
  const unknown: Type = { kind: 'unknown', name: nameOf(word.reference) }
  const schema = ownSchema(c, word)
  if (schema !== undefined) return schema
  const followed = followNested(c, word)
  if (followed.kind === 'wrong') return unknown
  if (followed.kind === 'body') return nestedType(followed.body)
  if (followed.word === word && canBeSchema(c, word)) return foreignSchema(c, word, text) ?? unknown
  const target = resolveFile(c, followed.word)
  return target === undefined ? unknown : stackType(target.found)
}

/** Whether a word is no stack, but may name a schema of another one. */
function canBeSchema(c: Compilation, { reference }: StackWord): boolean {
  if (!reference.name.includes('/')) return false
  return findStack(c, completed(reference, c.options.workspace.pins)).kind === 'absent'
}

/** Looks for a schema of that name in the stack, and in those around it. */
function ownSchema(c: Compilation, { reference, effective }: StackWord): Type | undefined {
  const name = plainWord(reference)
  const holder = name === undefined ? undefined : schemaHolderOf(effective, name)
  if (name === undefined || holder === undefined) return undefined
  const declaration = holder.schemas.get(name)
  return declaration && { kind: 'schema', name, schema: schemaOf(c, holder, declaration) }
}

export function nestedType({ id, name }: Body): StackType {
  return { kind: 'stack', name: name?.text ?? '', id, found: undefined }
}

export function stackType(found: FoundStack): StackType {
  const { file, reference } = found
  return { kind: 'stack', name: file.stated.get('name') ?? reference.name, id: file.path, found }
}

function nameOf({ protocol = '', base = '', name }: Reference): string {
  return `${protocol}${base}${name}`
}

/** Takes a word that is no stack as `stack/Schema`; undefined if it is none of both, which is reported. */
function foreignSchema(c: Compilation, word: StackWord, text: string): Type | undefined {
  const { reference, spot } = word
  const end = reference.name.lastIndexOf('/')
  const owner = completed({ ...reference, name: reference.name.slice(0, end) }, c.options.workspace.pins)
  if (findStack(c, owner).kind === 'absent') {
    resolveFile(c, { ...word, owner })
    return undefined
  }
  enterReference(word, owner)
  const found = requireStack(c, owner, { spot })
  const stack = found && c.libraryOf(c, found)
  if (stack === undefined) return undefined
  const declaration = stack.schemas.get(reference.name.slice(end + 1))
  if (declaration?.isPublic) return { kind: 'schema', name: nameOf(reference), schema: schemaOf(c, stack, declaration) }
  c.report('MU516', [text], { spot })
  return undefined
}
