import type { Written } from '@davit/languages'
import { keyOf, type Spot } from '../finding.ts'
import { parseType, type TypeExpression } from '../types/type-expression.ts'
import { valueOf } from '../values/stack-value.ts'
import { type Constraint, CONSTRAINTS, type PropertyDeclaration, type SchemaDeclaration } from './body.ts'
import { checkNumbers } from './check-numbers.ts'
import { isNothing, type ReportAt, type Shapes } from './shapes.ts'

export interface Reader {
  readonly shapes: Shapes
  readonly report: ReportAt
  /** Types are parsed when all shapes have been read, those of schemas first. */
  readonly schemaTypes: (() => void)[]
  readonly propertyTypes: (() => void)[]
}

const PROPERTY_KEYS = ['type', 'description', 'default', 'optional', 'readonly', 'perturbs']
const SCHEMA_KEYS = ['base', 'properties', 'description', ...CONSTRAINTS]

/** Lets a declaration get its type later. */
type Draft<Declaration> = { -readonly [Key in keyof Declaration]: Declaration[Key] }

export function readProperties(
  written: Written | undefined,
  reader: Reader,
  types: (() => void)[] = reader.propertyTypes,
): ReadonlyMap<string, PropertyDeclaration> {
  const members = reader.shapes.table(written, "'properties'")
  return new Map(members.map(([name, value]) => [name, readProperty(name, value, { reader, types })]))
}

interface Later {
  readonly reader: Reader
  readonly types: (() => void)[]
}

function readProperty(name: string, written: Written, later: Later): PropertyDeclaration {
  const { shapes } = later.reader
  if (isNothing(written)) shapes.wrong(written, `the property '${name}' must be a table`)
  const members = new Map(shapes.table(written, `the property '${name}'`))
  for (const [key, value] of members) if (!PROPERTY_KEYS.includes(key)) shapes.unknown(key, value, PROPERTY_KEYS)
  shapes.text(members.get('description'), "'description'")
  const type = members.get('type')
  const value = members.get('default')
  if (value !== undefined) checkNumbers(value, shapes)
  const spot = keyOf(written)
  const declaration: Draft<PropertyDeclaration> = {
    name,
    type: undefined,
    typeSpot: type ?? spot,
    spot,
    default: isNothing(value) ? undefined : value,
    isOptional: shapes.truth(members.get('optional'), "'optional'"),
    isReadonly: shapes.truth(members.get('readonly'), "'readonly'"),
    perturbs: shapes.truth(members.get('perturbs'), "'perturbs'"),
  }
  if (written.kind === 'table')
    readTypeInto(type, later, { spot, what: `the type of '${name}'`, found: (found) => (declaration.type = found) })
  return declaration
}

interface TypePlace {
  readonly spot: Spot
  readonly what: string
  /** Says what to write if there is no type. */
  readonly hint?: string
  found(type: TypeExpression | undefined): void
}

/** Reads the shape of a type at once, and parses it later. */
function readTypeInto(
  written: Written | undefined,
  { reader, types }: Later,
  { spot, what, hint, found }: TypePlace,
): void {
  if (written?.kind === 'table') {
    const schema = readSchema(written, { reader, types, name: undefined, isPublic: false })
    types.push(() => {
      found({ kind: 'inline', schema })
    })
    return
  }
  if (written?.kind === 'list') reader.shapes.wrong(written, `${what} must be text, or a table`)
  else {
    const text = isNothing(written) || written.kind !== 'scalar' ? '' : written.text
    const at = isNothing(written) ? spot : written
    types.push(() => {
      const report: ReportAt = (code, subjects, details) => {
        reader.report(code, subjects, text === '' ? { hint, ...details } : details)
      }
      found(parseType(text, at, report))
    })
  }
}

interface SchemaSection {
  readonly isPublic: boolean
  readonly reader: Reader
}

export function readSchemas(
  entries: readonly (readonly [string, Written])[],
  { isPublic, reader }: SchemaSection,
): readonly SchemaDeclaration[] {
  return entries.map(([name, written]) => readSchema(written, { reader, types: reader.schemaTypes, name, isPublic }))
}

const WAYS = 'write `base`, such as string, or `properties` for tables'

interface SchemaPlace extends Later, SchemaSection {
  readonly name: string | undefined
}

function readSchema(written: Written, { reader, types, name, isPublic }: SchemaPlace): SchemaDeclaration {
  const { shapes } = reader
  const members = new Map(shapes.table(written, name === undefined ? 'a type' : `the schema '${name}'`))
  for (const [key, value] of members) if (!SCHEMA_KEYS.includes(key)) reportUnknown(key, value, reader)
  shapes.text(members.get('description'), "'description'")
  const spot = keyOf(written)
  const [base, inner] = [members.get('base'), members.get('properties')]
  const declaration: Draft<SchemaDeclaration> = {
    name,
    isPublic,
    written,
    spot,
    base: undefined,
    baseSpot: base ?? spot,
    properties: inner && readProperties(inner, reader, types),
    constraints: readConstraints(members, shapes),
  }
  const found = (type: TypeExpression | undefined) => (declaration.base = type)
  if (written.kind === 'table' || isNothing(written))
    readBase(members, { reader, types }, { spot, what: "'base'", hint: WAYS, found })
  return declaration
}

/** Warns of an unknown key of a schema: what is `type` in a property is `base` here. */
function reportUnknown(key: string, written: Written, { shapes, report }: Reader): void {
  if (key === 'type') report('MU104', [key], { spot: keyOf(written), hint: "did you mean 'base'?" })
  else shapes.unknown(key, written, SCHEMA_KEYS)
}

function readBase(members: ReadonlyMap<string, Written>, later: Later, place: TypePlace): void {
  const { shapes } = later.reader
  const base = members.get('base')
  if (members.has('properties')) {
    if (base !== undefined) shapes.wrong(base, "a schema has 'base' or 'properties', but not both")
  } else if (base?.kind === 'table') shapes.wrong(base, "'base' must be text")
  else readTypeInto(base, later, place)
}

const SHAPES = {
  pattern: 'string',
  maxLength: 'number',
  minLength: 'number',
  maximum: 'number',
  minimum: 'number',
} as const

function readConstraints(members: ReadonlyMap<string, Written>, shapes: Shapes): readonly Constraint[] {
  return CONSTRAINTS.flatMap((kind): Constraint[] => {
    const written = members.get(kind)
    if (isNothing(written)) return []
    if (kind === 'enum') {
      shapes.list(written, "'enum'")
      return written.kind === 'list' ? [{ kind, wanted: valueOf(written), spot: written }] : []
    }
    const wanted = kind === 'pattern' ? shapes.text(written, "'pattern'") : valueOf(written)
    if (typeof wanted === SHAPES[kind]) return [{ kind, wanted: wanted as string | number, spot: written }]
    if (kind !== 'pattern') shapes.wrong(written, `'${kind}' must be a number`)
    return []
  })
}
