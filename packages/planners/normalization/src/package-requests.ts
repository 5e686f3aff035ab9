import type { Architecture, PackageRequest, PackageSpec, ServiceName, System, TargetName } from '@davit/documents'
import { compareText } from '@davit/languages'
import type { ArchitectureModel, PackageModel } from './architecture-model.ts'
import { evaluatePackage, type PackageOwner } from './evaluate-package.ts'
import type { Findings } from './findings.ts'
import { interDependencyParameters } from './parameters.ts'
import { sortedEntries } from './sorted.ts'

/** Evaluates all packages that are needed: those of services in order of names, for each of their systems, then those of targets. */
export function packageRequestsOf(
  model: ArchitectureModel,
  architecture: Architecture,
  findings: Findings,
): PackageRequest[] {
  return [...serviceRequests(model, architecture, findings), ...targetRequests(model, architecture, findings)]
}

function serviceRequests(model: ArchitectureModel, architecture: Architecture, findings: Findings): PackageRequest[] {
  const plain = interDependencyParameters(architecture, (float) => float.value)
  const exact = interDependencyParameters(architecture, (float) => float)
  return sortedEntries(model.services).flatMap(([name, serviceModel]) => {
    const service = architecture.services.get(name)
    const owner = {
      what: `service '${name}'`,
      path: ['services', name, 'pkg'],
      architecture,
      ...(service === undefined ? {} : { service }),
      plainParameters: () => plain(name),
      exactParameters: () => exact(name),
    }
    return systemsOf(name, architecture).flatMap((system) => {
      const spec = evaluatePackage(() => serviceModel.packageFor(system), { ...owner, system }, findings)
      return spec === undefined ? [] : [{ spec, system, wantedBy: { service: name } }]
    })
  })
}

function systemsOf(name: ServiceName, { services, infrastructure }: Architecture): System[] {
  const systems = services.get(name)?.targets.flatMap(({ target }) => infrastructure.get(target)?.system ?? [])
  return [...new Set(systems)].sort(compareText)
}

function targetRequests(model: ArchitectureModel, architecture: Architecture, findings: Findings): PackageRequest[] {
  return sortedEntries(model.targetPackages).flatMap(([target, packages]) => {
    const system = architecture.infrastructure.get(target)?.system
    if (system === undefined) return []
    return packages.flatMap((packageModel, index) => {
      const spec = targetPackage(packageModel, { target, index, architecture, system, findings })
      return spec === undefined ? [] : [{ spec, system, wantedBy: { target } }]
    })
  })
}

interface TargetPackagePlace extends Pick<PackageOwner, 'architecture' | 'system'> {
  readonly target: TargetName
  readonly index: number
  readonly findings: Findings
}

/** Evaluates a package of a target, which has no parameters. */
function targetPackage(
  model: PackageModel,
  { target, index, findings, ...where }: TargetPackagePlace,
): PackageSpec | undefined {
  const none: object = Object.freeze(Object.create(null))
  const owner: PackageOwner = {
    what: `target '${target}'`,
    path: ['targetPackages', target, index],
    ...where,
    plainParameters: () => none,
    exactParameters: () => none,
  }
  return evaluatePackage(() => model, owner, findings)
}
