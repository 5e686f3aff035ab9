import type { Compilation } from '../compilation.ts'
import { placeOf, type Spot } from '../finding.ts'
import type { ReportAt } from '../mufile/shapes.ts'
import type { Body, ServiceDeclaration, TextAt } from '../mufile/body.ts'
import type { Effective, StackTarget } from './effective.ts'
import { isName, parseReference, type Reference, simpleName } from '../references/reference.ts'
import { isVersion } from '../references/spec.ts'

/** A service of a body with its name and its reference. */
export interface PreparedService {
  readonly declaration: ServiceDeclaration
  readonly name: string
  /** Undefined if the key can only be the name of an inherited service. */
  readonly reference: Reference | undefined
}

export interface PreparedBase {
  readonly reference: Reference
  readonly at: TextAt
  /** What it leads to, by the stack around it; looked up once. */
  readonly targets: Map<Effective | undefined, StackTarget | undefined>
}

export interface Prepared {
  readonly base: PreparedBase | undefined
  readonly services: readonly PreparedService[]
  readonly isFailed: boolean
}

const KNOWN = new WeakMap<Body, Prepared>()

/** Collects references and enters names, once for each body. */
export function prepare(c: Compilation, body: Body): Prepared {
  const known = KNOWN.get(body)
  if (known !== undefined) return known
  let isFailed = false
  const report: ReportAt = (code, subjects, at) => {
    c.report(code, subjects, at)
    isFailed ||= code !== 'MU106'
  }
  const base = body.base && parseReference(body.base.text)
  if (body.base !== undefined && base === undefined) report('MU156', [body.base.text], { spot: body.base.spot })
  checkHead(body, report)
  checkSchemaNames(body, report)
  const services = prepareServices(body, report)
  const prepared = {
    base: base && body.base && { reference: base, at: body.base, targets: new Map() },
    services,
    isFailed,
  }
  KNOWN.set(body, prepared)
  return prepared
}

function checkHead({ name, version, spot }: Body, report: ReportAt): void {
  if (name === undefined || name.text === '') report('MU500', [], { spot: name?.spot ?? spot })
  else if (!isName(name.text)) report('MU106', [name.text], { spot: name.spot })
  if (version !== undefined && !isVersion(version.text)) report('MU501', [version.text], { spot: version.spot })
}

function checkSchemaNames({ schemas }: Body, report: ReportAt): void {
  const seen = new Set<string>()
  for (const { name = '', spot } of schemas) {
    if (seen.has(name)) report('MU502', [name], { spot })
    seen.add(name)
  }
}

function prepareServices(body: Body, report: ReportAt): readonly PreparedService[] {
  const seen = new Map<string, Spot>()
  return body.services.map((declaration) => {
    const service = declaration.type === undefined ? byKey(declaration) : byType(declaration, declaration.type, report)
    const { name, reference } = service
    // Only with a base can a key that is no reference be the name of a service.
    const isName = reference !== undefined || declaration.type !== undefined || body.base !== undefined
    if (!isName) report('MU156', [declaration.key], { spot: declaration.spot })
    else if (isNameKnown(service, body)) {
      if (seen.has(name)) report('MU502', [name], { spot: declaration.spot, hint: alsoAt(seen.get(name)) })
      seen.set(name, declaration.spot)
    }
    return service
  })
}

/** Whether a name is the same whatever is inherited: a key that is a reference may as a whole be the name of an inherited service. */
function isNameKnown({ declaration, name }: PreparedService, { base }: Body): boolean {
  return base === undefined || name === declaration.key
}

/** Says where else a name is. */
export function alsoAt(spot: Spot | undefined): string | undefined {
  const { file, line = 1, column = 1 } = spot === undefined ? { file: '' } : placeOf(spot)
  return (
    spot &&
    `the other one is at ${file}:${line}:${column}; names are unique in a file, private and public ones together`
  )
}

function byKey(declaration: ServiceDeclaration): PreparedService {
  const reference = parseReference(declaration.key)
  const name = reference === undefined ? declaration.key : simpleName(reference.name)
  return { declaration, name, reference }
}

function byType(declaration: ServiceDeclaration, type: TextAt, report: ReportAt): PreparedService {
  const { key, spot } = declaration
  const reference = parseReference(type.text)
  if (reference === undefined) report('MU156', [type.text], { spot: type.spot })
  if (!isName(key)) report('MU106', [key], { spot })
  return { declaration, name: key, reference }
}
