import { type Diagnostic, suggestionFor, quoted } from '@davit/diagnostics'
import type { Architecture, InstantiatedPackage, PackageRequest } from '@davit/documents'
import type { ArchitectureModel } from './architecture-model.ts'
import { checkCycles } from './check-cycles.ts'
import { collectFindings, type Findings } from './findings.ts'
import { placedNowhere } from './messages.ts'
import type { NormalizationOptions } from './normalization-options.ts'
import { normalizeInfrastructure } from './normalize-infrastructure.ts'
import { normalizeServices } from './normalize-services.ts'
import { packageRequestsOf } from './package-requests.ts'
import { sortedMap } from './sorted.ts'

export interface Normalized {
  /** The architecture without packages: their tables are empty. */
  readonly architecture: Architecture
  readonly packageRequests: readonly PackageRequest[]
  readonly warnings: readonly Diagnostic[]
}

/** Fills in every default and resolves every name; throws 'invalid-model' with all problems. */
export function normalizeModel(model: ArchitectureModel, options: NormalizationOptions): Normalized {
  const before = [...(model.warnings ?? [])]
  const findings = collectFindings((path) => model.placeOf(path), before)
  const infrastructure = normalizeInfrastructure(model.infrastructure, options, findings)
  const services = normalizeServices(model.services, { infrastructure, options, findings })
  checkCycles(services, model.services, findings)
  checkDistribution(model, findings)
  checkPlaced(model, findings)
  checkTargetPackages(model, findings)
  findings.throwIfAny()
  const architecture: Architecture = {
    store: options.store,
    services,
    infrastructure,
    targetPackages: sortedMap(infrastructure, (): InstantiatedPackage[] => []),
  }
  const packageRequests = packageRequestsOf(model, architecture, findings)
  before.push(...(model.lateWarnings?.() ?? []))
  findings.throwIfAny()
  return { architecture, packageRequests, warnings: [...before, ...findings.warnings()] }
}

function checkDistribution({ services, distributedServices = [] }: ArchitectureModel, findings: Findings): void {
  const names = new Set<string>(services.keys())
  for (const name of distributedServices) {
    if (names.has(name)) continue
    const message = `the distribution places unknown service ${quoted(name)}`
    findings.error(['distribution', name], message, () => suggestionFor(name, names))
  }
}

/** Warns of services without placement; `web: []` avoids that. A misspelt name in the distribution is reported instead. */
function checkPlaced({ services, distributedServices }: ArchitectureModel, findings: Findings): void {
  const names = new Set<string>(services.keys())
  if ([...(distributedServices ?? [])].some((name) => !names.has(name))) return
  const unplaced = [...services].filter(([, { targets }]) => targets === undefined).map(([name]) => name)
  const [first] = unplaced
  if (distributedServices === undefined || first === undefined) return
  const hint = `add it to the distribution, or write '${first}: []' to leave it out`
  findings.warning(['services', first], placedNowhere(unplaced, hint))
}

function checkTargetPackages({ infrastructure, targetPackages }: ArchitectureModel, findings: Findings): void {
  for (const target of targetPackages.keys()) {
    if (infrastructure.has(target)) continue
    const message = `packages for unknown target ${quoted(target)}`
    findings.error(['targetPackages', target], message, () => suggestionFor(target, infrastructure.keys()))
  }
}
