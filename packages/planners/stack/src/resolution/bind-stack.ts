import type { Compilation } from '../compilation.ts'
import type { Spot } from '../finding.ts'
import { checkSchema, checkTypes, schemasIn } from '../types/check-schema.ts'
import { isNarrower } from '../types/is-narrower.ts'
import { typeOf } from '../types/resolve-type.ts'
import { resolveProperties, resolveSchema, targetOfWord } from '../types/resolve-word.ts'
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
    if (type?.kind === 'word' && isCertain(type.text)) targetOfWord(c, { effective, spot }, type)
  }
  for (const { base, baseSpot } of effective.body.schemas) resolve(base, baseSpot)
  for (const entry of effective.services) if (isCertain(entry.type.text)) resolveService(c, effective, entry)
  for (const { type, typeSpot } of effective.body.properties.values()) resolve(type, typeSpot)
}

function resolveService(c: Compilation, effective: Effective, entry: ServiceEntry): void {
  const { name, type, reference } = entry
  const target = resolveStack(c, { effective, reference, spot: type.spot })
  if (target !== undefined) effective.targets.set(name, target)
}

/** Checks what a stack declares, once all its words are found. */
export function bindTypes(c: Compilation, effective: Effective): void {
  for (const schema of effective.body.schemas) resolveSchema(c, effective, schema)
  resolveProperties(c, effective, effective.properties)
  checkSpecs(c, effective)
  checkServices(c, effective)
  for (const schema of schemasIn(effective)) checkSchema(c, effective, schema)
  checkTypes(c, effective, effective.properties)
  checkProperties(c, effective)
  for (const { inherited, isPublic, name, spot } of effective.services) {
    if (inherited?.isPublic && !isPublic) c.report('MU606', [name, effective.name], { spot })
  }
}

function checkServices(c: Compilation, { body, services }: Effective): void {
  if (body.isAbstract || body.isIntrinsic || services.length > 0) return
  c.report('MU504', [], { spot: body.name?.spot ?? body.spot })
}

/** Refuses references of a file that differ in their spec alone, once for each stack that they are to. */
function checkSpecs(c: Compilation, effective: Effective): void {
  for (const { name, spot, first } of effective.conflicts) {
    effective.failedAt = 'bind'
    if (!first.isTold) c.report('MU502', [name], { spot, message: `'${name}' occurs twice, with different versions` })
    first.isTold = true
  }
}

/** Refuses declarations that are wider than those they replace. */
function checkProperties(c: Compilation, effective: Effective): void {
  for (const [name, { type, typeSpot }] of effective.body.properties) {
    const inherited = effective.base?.properties.get(name)
    if (inherited?.type === undefined || type === undefined) continue
    const own = typeOf(c, { effective, spot: typeSpot }, type)
    const wide = typeOf(c, { effective, spot: inherited.typeSpot }, inherited.type)
    const hint = `'${name}' of the base is '${wide.name}': it can be declared again with that type, or a narrower one`
    if (!isNarrower(c, own, wide)) c.report('MU508', [wide.name, own.name], { spot: typeSpot, hint })
  }
}
