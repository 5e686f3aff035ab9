import type { Architecture, ExpressionProgram, NormalizedDependency, NormalizedService, System } from '@davit/documents'
import type { PackageModel } from '@davit/normalization'
import type { Model, WantedPackage } from '../../reading/model.ts'
import type { ByRole } from '../../reading/roles.ts'
import type { NixEvaluation } from './nix-evaluation.ts'
import { programOf } from './run-program.ts'

/** Makes package models for models in the Nix language; one program evaluates all packages of a run. */
export function expressionPackages(
  models: ByRole<Model>,
  evaluation: NixEvaluation,
): (wanted: WantedPackage) => PackageModel {
  const hasServices = models.services?.language === 'nix' || models.architecture?.language === 'nix'
  const programs = new WeakMap<Architecture, ExpressionProgram>()
  function programFor(architecture: Architecture): ExpressionProgram {
    const known = programs.get(architecture)
    if (known !== undefined) return known
    const input = inputOf(architecture, hasServices ? architecture.services : new Map<never, never>())
    const program = programOf('packages', evaluation.programInput(input))
    programs.set(architecture, program)
    return program
  }
  return (wanted) => ({
    kind: 'expression',
    specFor(architecture, system) {
      const program = programFor(architecture)
      return { kind: 'expression', program, selection: { ...wanted, system } }
    },
  })
}

function inputOf(
  { infrastructure }: Architecture,
  services: Architecture['services'],
): Readonly<Record<string, unknown>> {
  const systemOf = (target: NormalizedService['targets'][number]): System[] => {
    const system = infrastructure.get(target.target)?.system
    return system === undefined ? [] : [system]
  }
  const targetsOf = [...infrastructure].map(([name, { system, numOfCores, clientInterface, targetProperty }]) => {
    return [name, { system, numOfCores, clientInterface, targetProperty }] as const
  })
  const servicesOf = [...services].map(([name, service]) => {
    const systems = [...new Set(service.targets.flatMap(systemOf))]
    return [name, { ...serviceInput(service, services), systems }] as const
  })
  return {
    architecture: { infrastructure: new Map(targetsOf), services: new Map(servicesOf) },
  }
}

function serviceInput(
  { type, deployState, targets, connectsTo, dependsOn }: NormalizedService,
  services: Architecture['services'],
): Readonly<Record<string, unknown>> {
  const dependencies = [...new Map([...connectsTo, ...dependsOn])].map(
    ([parameter, dependency]) => [parameter, dependencyInput(dependency, services)] as const,
  )
  return { type, deployState, targets, dependencies: new Map(dependencies) }
}

/** Leaves out the targets if they are all targets of the service. */
function dependencyInput(
  { service, targets }: NormalizedDependency,
  services: Architecture['services'],
): Readonly<Record<string, unknown>> {
  return targets === services.get(service)?.targets ? { service } : { service, targets }
}
