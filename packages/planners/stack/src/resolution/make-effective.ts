import { compareText } from '@davit/languages'
import type { Compilation } from '../compilation.ts'
import type { Spot } from '../finding.ts'
import type { Body, SchemaDeclaration } from '../mufile/body.ts'
import { type Effective, mergeBags, type ServiceEntry } from './effective.ts'
import { alsoAt, type Prepared, type PreparedService } from './prepare.ts'

interface Parts {
  readonly body: Body
  readonly prepared: Prepared
  readonly base: Effective | undefined
  readonly outer: Effective | undefined
}

/** Puts a stack over what it inherits; the words in it are looked up later. */
export function makeEffective(c: Compilation, parts: Parts): Effective {
  const { body, base, outer } = parts
  const chain: Effective[] = []
  const effective: Effective = {
    ...(base === undefined ? ownOf(body) : overBase(body, base)),
    body,
    name: body.name?.text ?? '',
    base,
    outer,
    chain,
    services: mergeServices(c, parts),
    targets: new Map(),
    references: new Set(),
    conflicts: [],
    words: new Map(),
    types: new Map(),
    schemaTypes: new Map(),
    failedAt: undefined,
  }
  chain.push(effective, ...(base?.chain ?? []))
  return effective
}

type Declarations = Pick<Effective, 'properties' | 'schemas' | 'nested'>

function ownOf({ properties, schemas, nested }: Body): Declarations {
  return { properties, schemas: new Map(schemas.map(namedSchema)), nested }
}

function overBase(body: Body, base: Effective): Declarations {
  const own = ownOf(body)
  return {
    properties: sorted([...base.properties, ...own.properties]),
    schemas: new Map([...base.schemas, ...own.schemas]),
    nested: new Map([...base.nested, ...own.nested]),
  }
}

function namedSchema(schema: SchemaDeclaration): readonly [string, SchemaDeclaration] {
  return [schema.name ?? '', schema]
}

function sorted<Value>(entries: readonly (readonly [string, Value])[]): ReadonlyMap<string, Value> {
  return new Map([...new Map(entries)].toSorted(([left], [right]) => compareText(left, right)))
}

function mergeServices(c: Compilation, { prepared, base }: Parts): readonly ServiceEntry[] {
  const entries = new Map(base?.services.map((entry) => [entry.name, entry]))
  const own = new Map<string, Spot>()
  for (const service of prepared.services) {
    // A key without type that is the name of an inherited service is no reference.
    const isAgain = service.declaration.type === undefined && entries.has(service.declaration.key)
    const name = isAgain ? service.declaration.key : service.name
    const { spot } = service.declaration
    if (own.has(name)) c.report('MU502', [name], { spot, hint: alsoAt(own.get(name)) })
    own.set(name, spot)
    const entry = mergeService({ ...service, name }, entries.get(name), isAgain)
    if (entry !== undefined) entries.set(name, entry)
    else reportNoReference(c, service)
  }
  return [...entries.values()].toSorted(
    (left, right) => Number(left.isPublic) - Number(right.isPublic) || compareText(left.key, right.key),
  )
}

function mergeService(
  { declaration, name, reference }: PreparedService,
  inherited: ServiceEntry | undefined,
  isAgain: boolean,
): ServiceEntry | undefined {
  const { key, isPublic, args, spot } = declaration
  if (inherited === undefined) {
    const type = declaration.type ?? { text: key, spot }
    return reference && { name, key, isPublic, type, reference, args, spot, inherited }
  }
  const own =
    isAgain || reference === undefined ? inherited : { type: declaration.type ?? { text: key, spot }, reference }
  const { type } = own
  return { name, key, isPublic, type, reference: own.reference, args: mergeBags(inherited.args, args), spot, inherited }
}

function reportNoReference(c: Compilation, { declaration: { key, spot } }: PreparedService): void {
  c.report('MU156', [key], { spot })
}
