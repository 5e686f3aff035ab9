import type { NormalizedDependency, NormalizedService, ServiceName } from '@davit/documents'
import { cyclesOf } from '@davit/service-graph'
import type { ServiceModel } from './architecture-model.ts'
import type { DependencyKind } from './normalize-dependencies.ts'
import type { Findings } from './findings.ts'

type Services = ReadonlyMap<ServiceName, NormalizedService>

/** Reports cycles of services that wait for each other and so could never be activated; `connectsTo` does not wait. */
export function checkCycles(
  services: Services,
  models: ReadonlyMap<ServiceName, ServiceModel>,
  findings: Findings,
): void {
  for (const cycle of cyclesOf(services.keys(), (name) => waitsFor(services.get(name)))) {
    const [first, second] = cycle
    if (first === undefined || second === undefined) continue
    const kind = kindOfEdge(services.get(first), second)
    const parameter = parameterOf(services.get(first)?.[kind], second)
    findings.error(
      ['services', first, kind, ...(parameter === undefined ? [] : [parameter])],
      `services depend on each other in a cycle: ${cycle.join(' → ')}`,
      providerHint(cycle, services, models) ?? "use 'connectsTo' where a service need not wait for the other",
    )
  }
}

function waitsFor(service: NormalizedService | undefined): ServiceName[] {
  if (service === undefined) return []
  return [...service.dependsOn.values(), ...service.activatesAfter.values()].map((dependency) => dependency.service)
}

function kindOfEdge(service: NormalizedService | undefined, to: ServiceName): DependencyKind {
  return parameterOf(service?.dependsOn, to) === undefined ? 'activatesAfter' : 'dependsOn'
}

function parameterOf(
  table: ReadonlyMap<string, NormalizedDependency> | undefined,
  service: ServiceName,
): string | undefined {
  return [...(table ?? [])].find(([, dependency]) => dependency.service === service)?.[0]
}

/** Explains why a service waits for another one that its model does not name. */
function providerHint(
  cycle: readonly ServiceName[],
  services: Services,
  models: ReadonlyMap<ServiceName, ServiceModel>,
): string | undefined {
  for (const [index, name] of cycle.slice(0, -1).entries()) {
    const next = cycle[index + 1]
    const model = models.get(name)
    const named = [model?.dependsOn, model?.activatesAfter].flatMap((table) => [...(table?.values() ?? [])])
    if (named.some(({ service }) => service === next)) continue
    const place = services.get(name)?.targets.find((placement) => placement.containerProvidedByService === next)
    if (place !== undefined) return `'${name}' waits for '${next}', which provides its container '${place.container}'`
  }
  return undefined
}
