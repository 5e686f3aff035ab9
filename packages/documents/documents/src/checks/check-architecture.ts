import { atPath, type Diagnostic, type Path } from '@davit/diagnostics'
import type { Architecture, NormalizedDependency, NormalizedService, Placement } from '../architecture.ts'
import { checkServiceSecrets, checkTargetSecrets } from './check-secrets.ts'
import { checkTargets } from './check-targets.ts'
import type { ServiceName } from '../ids.ts'
import { checkReferences, type Reference } from './check-references.ts'

/** Finds references to services and targets that the architecture does not have, and missing packages. */
export function checkArchitecture(architecture: Architecture): Diagnostic[] {
  const { services, infrastructure, targetPackages } = architecture
  const dependencies = [...services].flatMap(dependenciesOf)
  const placements = [...services].flatMap(([name, { targets }]) =>
    placementsAt(targets, ['services', name, 'targets']),
  )
  const all = [
    ...placements,
    ...dependencies.flatMap(({ path, dependency }) => placementsAt(dependency.targets, [...path, 'targets'])),
  ]
  const targets = [...targetPackages.keys()].map((name) => ({ path: ['targetPackages', name], name }))
  return [
    ...[...services].flatMap(checkName),
    ...checkReferences([...dependencies.map(serviceIn), ...all.flatMap(providerIn)], {
      what: 'service',
      table: services,
    }),
    ...checkReferences([...all.map(targetIn), ...targets], { what: 'target', table: infrastructure }),
    ...checkTargets(infrastructure, ['infrastructure']),
    ...checkTargetSecrets(infrastructure, ['infrastructure']),
    ...checkServiceSecrets(services),
    ...[...services].flatMap((entry) => checkPackages(entry, architecture)),
  ]
}

interface DependencyAt {
  readonly path: Path
  readonly dependency: NormalizedDependency
}

interface PlacementAt {
  readonly path: Path
  readonly placement: Placement
}

function dependenciesOf([name, service]: readonly [ServiceName, NormalizedService]): DependencyAt[] {
  return (['dependsOn', 'connectsTo', 'activatesAfter'] as const).flatMap((kind) =>
    [...service[kind]].map(([parameter, dependency]) => ({ path: ['services', name, kind, parameter], dependency })),
  )
}

function placementsAt(placements: readonly Placement[], path: Path): PlacementAt[] {
  return placements.map((placement, index) => ({ path: [...path, index], placement }))
}

function checkName([key, { name }]: readonly [ServiceName, NormalizedService]): Diagnostic[] {
  return name === key ? [] : [atPath(['services', key, 'name'], `expected the name '${key}', but got '${name}'`)]
}

function serviceIn({ path, dependency }: DependencyAt): Reference {
  return { path: [...path, 'service'], name: dependency.service }
}

function targetIn({ path, placement }: PlacementAt): Reference {
  return { path: [...path, 'target'], name: placement.target }
}

function providerIn({ path, placement: { containerProvidedByService: name } }: PlacementAt): Reference[] {
  return name === undefined ? [] : [{ path: [...path, 'containerProvidedByService'], name }]
}

function checkPackages(
  [key, service]: readonly [ServiceName, NormalizedService],
  { infrastructure }: Architecture,
): Diagnostic[] {
  const systems = new Set(service.targets.flatMap(({ target }) => infrastructure.get(target)?.system ?? []))
  return [...systems]
    .filter((system) => !service.packages.has(system))
    .map((system) =>
      atPath(['services', key, 'packages'], `service '${key}' has no package for ${system}, which its targets need`),
    )
}
