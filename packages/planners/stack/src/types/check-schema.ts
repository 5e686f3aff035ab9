import { quoted, suggestionFor } from '@davit/diagnostics'
import type { Compilation } from '../compilation.ts'
import type { Constraint, PropertyDeclaration, SchemaDeclaration } from '../mufile/body.ts'
import type { Effective } from '../resolution/effective.ts'
import { NEEDS, patternOf } from './constraints.ts'
import { schemaOf, typeOf } from './resolve-type.ts'
import { rootOf, type Type } from './type.ts'
import type { TypeExpression } from './type-expression.ts'

/** Returns the schema that a type is, if it is written in place. */
function inlineIn(type: TypeExpression): readonly SchemaDeclaration[] {
  return type.kind === 'inline' ? [type.schema] : []
}

/** Returns the schemas that a stack itself declares, and after them those without names. */
export function schemasIn({ body }: Effective): readonly SchemaDeclaration[] {
  const within = ({ properties }: SchemaDeclaration) => [...(properties?.values() ?? [])].flatMap(inProperty)
  const inProperty = ({ type }: PropertyDeclaration): readonly SchemaDeclaration[] =>
    type === undefined ? [] : inlineIn(type).flatMap((schema) => [schema, ...within(schema)])
  return [...body.schemas, ...body.schemas.flatMap(within), ...[...body.properties.values()].flatMap(inProperty)]
}

/** Checks what a schema is based on, that its constraints fit that, and the types of its properties. */
export function checkSchema(c: Compilation, home: Effective, declaration: SchemaDeclaration): void {
  const { base } = schemaOf(c, home, declaration)
  checkBase(c, home, { declaration, base })
  checkTypes(c, home, declaration.properties)
}

/** Checks types of properties once all their words are found: schemas of other stacks may be private, or missing. */
export function checkTypes(
  c: Compilation,
  effective: Effective,
  properties: ReadonlyMap<string, PropertyDeclaration> = new Map(),
): void {
  for (const { type, typeSpot } of properties.values()) {
    if (type !== undefined) typeOf(c, { effective, spot: typeSpot }, type)
  }
}

interface Based {
  readonly declaration: SchemaDeclaration
  readonly base: Type | undefined
}

function checkBase(c: Compilation, home: Effective, { declaration, base }: Based): void {
  const spot = declaration.baseSpot
  if (base?.kind === 'unknown') {
    if (base.isRing)
      c.report('MU516', [writtenOf(base, declaration)], { spot, message: 'schemas are based on each other' })
    return
  }
  if (base === undefined || base.kind === 'primitive' || base.kind === 'schema') {
    for (const constraint of declaration.constraints) checkConstraint(c, constraint, base)
    return
  }
  const word = writtenOf(base, declaration)
  c.report('MU516', [word], { spot, hint: suggestionFor(word, home.schemas.keys()) })
}

/** Returns a base as it is written, also where it is called otherwise. */
function writtenOf({ name }: Type, { base }: SchemaDeclaration): string {
  return base?.kind === 'word' ? base.text : name
}

function checkConstraint(c: Compilation, { kind, wanted, spot }: Constraint, base: Type | undefined): void {
  const name = base?.name ?? 'object'
  const needed = NEEDS[kind]
  const isFit = needed === undefined || needed === (base === undefined ? 'object' : rootOf(base))
  if (!isFit) {
    c.report('MU517', [kind, needed, name], { spot, message: `'${kind}' needs a ${needed}, but the type is ${name}` })
  } else if (kind === 'pattern' && patternOf(wanted as string, c.patterns) === undefined) {
    c.report('MU517', [kind, needed, name], { spot, message: `${quoted(wanted as string)} is no regular expression` })
  }
}
