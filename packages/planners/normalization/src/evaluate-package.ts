import { atPath, DavitError, type Path, quoted } from '@davit/diagnostics'
import type { Architecture, NormalizedService, PackageSpec, System } from '@davit/documents'
import type { PackageModel } from './architecture-model.ts'
import { parameterDependenciesOf } from './dependencies.ts'
import { fillPackage } from './fill-package.ts'
import { fillTemplate } from './fill-template.ts'
import { type Findings, hintText } from './findings.ts'
import { guardedParameters } from './guarded-parameters.ts'
import { type MemberOfDependency, ParameterError, type ParameterProblem } from './parameter-error.ts'
import { parametersFileOf } from './parameters-file.ts'

/** The service or target that needs a package, and the parameters for it. */
export interface PackageOwner {
  /** Name in messages, such as `service 'web'`. */
  readonly what: string
  readonly path: Path
  readonly architecture: Architecture
  readonly system: System
  readonly service?: NormalizedService
  /** Parameters for functions and files: all numbers are plain. */
  plainParameters(): object
  /** Parameters for templates: numbers are written as in the model. */
  exactParameters(): object
}

const PACKAGE_NAME = /^[A-Za-z0-9_+?=-][A-Za-z0-9_+?=.-]{0,199}$/

/** Evaluates the package of a model; reports errors, including those that a function throws, and then returns undefined. */
export function evaluatePackage(
  modelOf: () => PackageModel,
  owner: PackageOwner,
  findings: Findings,
): PackageSpec | undefined {
  try {
    const model = modelOf()
    const spec = packageOf(model, owner, findings)
    checkNames(spec, owner, findings)
    return spec
  } catch (error) {
    if (error instanceof DavitError) tellLocated(error, owner, findings)
    else if (error instanceof ParameterError) tell(error.problem, { owner, path: owner.path, findings })
    else findings.thrown(owner.path, `package of ${owner.what} failed: ${thrownMessage(error)}`, error)
    return undefined
  }
}

function packageOf(model: PackageModel, owner: PackageOwner, findings: Findings): PackageSpec {
  switch (model.kind) {
    case 'data':
      return dataPackage(model, owner, findings)
    case 'function':
      return functionPackage(model, owner)
    case 'expression':
      return model.specFor(owner.architecture, owner.system)
  }
}

/** Reports an error that has the place where code of a model threw, and the thrown value as its cause. */
function tellLocated(error: DavitError, owner: PackageOwner, findings: Findings): void {
  const { diagnostics, cause } = error
  if (diagnostics.length === 0) throw error
  if (!(cause instanceof ParameterError)) return findings.located(diagnostics, error)
  const place = diagnostics[0]?.place
  const located: Findings = {
    ...findings,
    error: (path, message, hint) => {
      const problem = atPath(path, message, hintText(hint))
      findings.located([place === undefined ? problem : { ...problem, place }], error)
    },
  }
  tell(cause.problem, { owner, path: owner.path, findings: located })
}

function functionPackage(model: Extract<PackageModel, { kind: 'function' }>, owner: PackageOwner): PackageSpec {
  const parameters = owner.plainParameters()
  return model.call(guardedParameters(parameters), () => parametersFileOf(parameters))
}

function dataPackage(
  { spec, parametersFile }: Extract<PackageModel, { kind: 'data' }>,
  owner: PackageOwner,
  findings: Findings,
): PackageSpec {
  const concrete = filled(spec, owner, findings)
  if (concrete.kind !== 'build' || parametersFile !== true) return concrete
  return { ...concrete, parameters: parametersFileOf(owner.plainParameters()) }
}

function filled(spec: PackageSpec, owner: PackageOwner, findings: Findings): PackageSpec {
  return fillPackage(spec, (template, path) => {
    try {
      return template.includes('${') ? fillTemplate(template, owner.exactParameters()) : template
    } catch (error) {
      if (!(error instanceof ParameterError)) throw error
      tell(error.problem, { owner, path: [...owner.path, ...path], findings })
      return 'x'
    }
  })
}

function tell(
  { used, reason, hint }: ParameterProblem,
  { owner, path, findings }: { readonly owner: PackageOwner; readonly path: Path; readonly findings: Findings },
): void {
  const what = typeof used === 'string' ? used : memberName(used, owner.service)
  findings.error(path, `package of ${owner.what} uses ${what}, but ${reason}`, hint)
}

/** Names a member of a dependency: `'database.target'` if the dependency is a parameter of the service itself. */
function memberName({ member, dependency }: MemberOfDependency, owner: NormalizedService | undefined): string {
  const parameters = owner === undefined ? [] : [...parameterDependenciesOf(owner)]
  const parameter = parameters.find(([, { service }]) => service === dependency)?.[0]
  if (parameter !== undefined) return quoted(`${parameter}.${member}`)
  return `'${member}' of '${dependency}', an indirect dependency`
}

function checkNames(spec: PackageSpec, owner: PackageOwner, findings: Findings): void {
  if (spec.kind === 'present' || spec.kind === 'expression') return
  if (spec.name !== undefined && !PACKAGE_NAME.test(spec.name)) {
    const hint = 'use at most 200 characters: letters, digits and +-._?='
    findings.error(owner.path, `${quoted(spec.name)} is not a valid name for a package of ${owner.what}`, hint)
  }
  if (spec.kind === 'build') for (const input of spec.inputs.values()) checkNames(input, owner, findings)
}

function thrownMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
