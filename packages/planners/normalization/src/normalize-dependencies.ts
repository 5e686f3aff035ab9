import { type Path, suggestionFor, quoted } from '@davit/diagnostics'
import type { NormalizedDependency, Placement, ServiceName, TargetName } from '@davit/documents'
import { compareText } from '@davit/languages'
import type { DependencyModel, PlacementModel, ServiceModel } from './architecture-model.ts'
import { knownTarget, type PlacementContext } from './placements.ts'
import { sortedEntries } from './sorted.ts'

export type DependencyKind = 'dependsOn' | 'connectsTo' | 'activatesAfter'

export interface DependencyContext extends PlacementContext {
  readonly serviceNamed: ReadonlyMap<string, ServiceName>
  readonly services: ReadonlyMap<ServiceName, ServiceModel>
  /** Placements of every service, shared by all dependants that do not choose targets. */
  readonly placements: ReadonlyMap<ServiceName, Placement[]>
}

interface Where {
  readonly dependant: ServiceName
  readonly path: Path
}

/** Resolves the dependencies of one kind to placements; reports and leaves out those that do not exist. */
export function normalizeDependencies(
  dependant: ServiceName,
  kind: DependencyKind,
  context: DependencyContext,
): Map<string, NormalizedDependency> {
  const normalized = new Map<string, NormalizedDependency>()
  const table = context.services.get(dependant)?.[kind] ?? new Map<string, DependencyModel>()
  for (const [parameter, model] of sortedEntries(table)) {
    const path = ['services', dependant, kind, parameter]
    const dependency = normalizeDependency(model, { dependant, path }, context)
    if (dependency !== undefined) normalized.set(parameter, dependency)
  }
  return normalized
}

function normalizeDependency(
  { service: text, targets }: DependencyModel,
  where: Where,
  context: DependencyContext,
): NormalizedDependency | undefined {
  const { dependant, path } = where
  const { findings, serviceNamed, services, placements } = context
  const service = serviceNamed.get(text)
  if (service === undefined) {
    const hint = () => suggestionFor(text, serviceNamed.keys())
    findings.error(path, `service '${dependant}' depends on ${quoted(text)}, which does not exist`, hint)
    return undefined
  }
  if (services.get(service)?.type === 'package') {
    const hint = 'services of that type are installed, but never activated'
    findings.error(path, `service '${dependant}' depends on '${service}', which is of type 'package'`, hint)
    return undefined
  }
  const all = placements.get(service) ?? []
  if (targets === undefined) return { service, targets: all }
  return { service, targets: chosenPlacements(targets, { ...where, service }, context) }
}

/** Returns the placements that a dependant chose, as far as the dependency is placed there. */
function chosenPlacements(
  models: readonly PlacementModel[],
  where: Where & { readonly service: ServiceName },
  context: DependencyContext,
): Placement[] {
  const chosen = models.flatMap((model, index) => {
    const path = [...where.path, 'targets', index]
    return chosenPlacement(model, { ...where, path }, context) ?? []
  })
  return [...new Set(chosen)]
}

function chosenPlacement(
  model: PlacementModel,
  { dependant, service, path }: Where & { readonly service: ServiceName },
  context: DependencyContext,
): Placement | undefined {
  const wants = `service '${dependant}' depends on '${service}' on`
  const target = knownTarget(model, { ...context, path, what: wants })
  if (target === undefined) return undefined
  const all = context.placements.get(service) ?? []
  const found = placementAt(all, { target, container: model.container, type: context.services.get(service)?.type })
  if (found === undefined) {
    const place = model.container === undefined ? '' : ` in container ${quoted(model.container)}`
    context.findings.error(path, `${wants} target '${target}'${place}, where it is not placed`, () =>
      placesHint(service, all),
    )
  }
  return found
}

/** Without a container, prefers the one named after the type to the first on the target. */
function placementAt(
  placements: readonly Placement[],
  wanted: { readonly target: TargetName; readonly container: string | undefined; readonly type: string | undefined },
): Placement | undefined {
  const there = placements.filter(({ target }) => target === wanted.target)
  const exact = there.find(({ container }) => container === (wanted.container ?? wanted.type))
  return exact ?? (wanted.container === undefined ? there[0] : undefined)
}

function placesHint(service: ServiceName, placements: readonly Placement[]): string {
  if (placements.length === 0) return `'${service}' is not placed on any target: add it to the distribution`
  const places = placements.map(({ target, container }) => `'${target}' (${container})`).sort(compareText)
  return `'${service}' is on ${places.join(', ')}`
}
