import type { Compilation } from '../compilation.ts'
import type { Spot } from '../finding.ts'
import type { PropertyDeclaration, SchemaDeclaration } from '../mufile/body.ts'
import { withoutSpec } from '../references/reference.ts'
import { checkSchema, inlineIn, schemasIn } from '../types/check-schema.ts'
import { isNarrower } from '../types/is-narrower.ts'
import { schemaOf, typeOf } from '../types/resolve-type.ts'
import type { TypeExpression } from '../types/type-expression.ts'
import type { Effective, ServiceEntry } from './effective.ts'
import { resolveStack } from './resolve-stack.ts'

interface BaseState {
  /** Without its base, a stack does not know all schemas and nested stacks that its words may mean. */
  readonly isBaseKnown: boolean
}

/** Resolves the words of a stack to files: bases of schemas, types of services, and types of properties that are single words. */
export function resolveWords(c: Compilation, effective: Effective, { isBaseKnown }: BaseState): void {
  const isCertain = (text: string) => isBaseKnown || /[./]/.test(text)
  const resolve = (type: TypeExpression | undefined, spot: Spot) => {
    if (type?.kind === 'word' && isCertain(type.text)) typeOf(c, { effective, spot }, type)
  }
  for (const { base, baseSpot } of effective.body.schemas) resolve(base, baseSpot)
  for (const entry of effective.services) if (isCertain(entry.type.text)) resolveService(c, effective, entry)
  for (const { type, typeSpot } of effective.body.properties.values()) resolve(type, typeSpot)
}

function resolveService(c: Compilation, effective: Effective, entry: ServiceEntry): void {
  const { name, type, reference } = entry
  const inherited = effective.base?.services.find((other) => other.type === type)
  const target = resolveStack(c, { effective, reference, spot: type.spot, isInherited: inherited !== undefined })
  if (target !== undefined) effective.targets.set(name, target)
}

/** Checks what a stack declares, once all its words are found. */
export function bindTypes(c: Compilation, effective: Effective): void {
  for (const schema of effective.body.schemas) resolveInside(c, effective, schema)
  for (const property of effective.properties.values()) resolveProperty(c, effective, property)
  checkSpecs(c, effective)
  checkServices(c, effective)
  for (const schema of schemasIn(effective)) checkSchema(c, effective, schema)
  checkProperties(c, effective)
  for (const { inherited, isPublic, name, spot } of effective.services) {
    if (inherited?.isPublic && !isPublic) c.report('MU606', [name, effective.name], { spot })
  }
}

function checkServices(c: Compilation, { body, services }: Effective): void {
  if (body.isAbstract || body.isIntrinsic || services.length > 0) return
  c.report('MU504', [], { spot: body.name?.spot ?? body.spot })
}

function resolveInside(c: Compilation, effective: Effective, schema: SchemaDeclaration): void {
  schemaOf(c, effective, schema)
  for (const property of schema.properties?.values() ?? []) resolveProperty(c, effective, property)
}

function resolveProperty(c: Compilation, effective: Effective, { type, typeSpot }: PropertyDeclaration): void {
  if (type === undefined) return
  typeOf(c, { effective, spot: typeSpot }, type)
  for (const schema of inlineIn(type)) resolveInside(c, effective, schema)
}

/** Refuses two references that differ in their spec alone. */
function checkSpecs(c: Compilation, { references }: Effective): void {
  const seen = new Set<string>()
  const told = new Set<string>()
  for (const { reference, spot } of references.values()) {
    const key = withoutSpec(reference)
    if (seen.has(key) && !told.has(key)) {
      c.report('MU502', [reference.name], {
        spot,
        message: `'${reference.name}' occurs twice, with different versions`,
      })
      told.add(key)
    }
    seen.add(key)
  }
}

/** Refuses declarations that are wider than those they replace. */
function checkProperties(c: Compilation, effective: Effective): void {
  for (const [name, { type, typeSpot }] of effective.body.properties) {
    const inherited = effective.base?.properties.get(name)
    if (inherited?.type === undefined || type === undefined) continue
    const own = typeOf(c, { effective, spot: typeSpot }, type)
    const wide = typeOf(c, { effective, spot: inherited.typeSpot }, inherited.type)
    if (!isNarrower(c, own, wide)) c.report('MU508', [wide.name, own.name], { spot: typeSpot })
  }
}
