import type { Compilation } from '../compilation.ts'
import type { SchemaDeclaration } from '../mufile/body.ts'
import type { Reference } from '../references/reference.ts'
import type { Effective } from '../resolution/effective.ts'
import type { FoundStack } from '../resolution/stack-file.ts'
import { isKey, targetOfWord, type WordTarget } from './resolve-word.ts'
import type { NestedStack, Schema, StackType, Type, TypePlace } from './type.ts'
import type { TypeExpression } from './type-expression.ts'

/** Returns what a type is; what is wrong with it is reported once for each stack. */
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
      return wordType(c, place, expression)
  }
}

function mapType(c: Compilation, place: TypePlace, { key, value, text }: TypeExpression & { kind: 'map' }): Type {
  const values = typeOf(c, place, value)
  if (!isKey(key)) return { kind: 'unknown', name: text }
  return { kind: 'map', name: `map[${key.name}]${values.name}`, key, value: values }
}

export function schemaOf(c: Compilation, home: Effective, declaration: SchemaDeclaration): Schema {
  const known = home.schemaTypes.get(declaration)
  if (known !== undefined) return known
  const schema: { -readonly [Key in keyof Schema]: Schema[Key] } = { declaration, home, base: undefined, isOpen: true }
  home.schemaTypes.set(declaration, schema)
  const { base, baseSpot } = declaration
  if (base !== undefined) schema.base = baseOf(typeOf(c, { effective: home, spot: baseSpot }, base))
  schema.isOpen = false
  return schema
}

/** A schema whose own base is still looked up is what led here: the schemas are based on each other. */
function baseOf(type: Type): Type {
  return type.kind === 'schema' && type.schema.isOpen ? { kind: 'unknown', name: type.name, isRing: true } : type
}

function wordType(c: Compilation, place: TypePlace, word: TypeExpression & { kind: 'word' }): Type {
  const target = targetOfWord(c, place, word)
  switch (target?.kind) {
    case undefined:
      return { kind: 'unknown', name: nameOf(word.reference) }
    case 'schema': {
      const { holder, declaration } = target
      return { kind: 'schema', name: word.reference.name, schema: schemaOf(c, holder, declaration) }
    }
    case 'nested':
      return nestedType(target)
    case 'file':
      return stackType(target.found)
    case 'foreign':
      return foreignType(c, place, { word, target })
  }
}

export function nestedType({ body, outer }: NestedStack): StackType {
  return { kind: 'stack', name: body.name?.text ?? '', id: body.id, found: undefined, nested: { body, outer } }
}

export function stackType(found: FoundStack): StackType {
  const { file, reference } = found
  return { kind: 'stack', name: file.stated.get('name') ?? reference.name, id: file.path, found, nested: undefined }
}

function nameOf({ protocol = '', base = '', name }: Reference): string {
  return `${protocol}${base}${name}`
}

interface ForeignWord {
  readonly word: TypeExpression & { readonly kind: 'word' }
  readonly target: WordTarget & { readonly kind: 'foreign' }
}

/** Reads the stack of a schema; one that is private or missing there is reported. */
function foreignType(c: Compilation, { spot }: TypePlace, { word, target }: ForeignWord): Type {
  const name = nameOf(word.reference)
  const stack = c.libraryOf(c, target.found)
  const declaration = stack?.schemas.get(target.schema)
  if (stack !== undefined && declaration?.isPublic) {
    return { kind: 'schema', name, schema: schemaOf(c, stack, declaration) }
  }
  if (stack !== undefined) c.report('MU516', [word.text], { spot })
  return { kind: 'unknown', name }
}
