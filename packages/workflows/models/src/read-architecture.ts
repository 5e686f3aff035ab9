import { asDiagnostic } from '@davit/diagnostics'
import type { System } from '@davit/documents'
import { type ArchitectureModel, placedNowhere } from '@davit/normalization'
import { dependencySteps } from './reading/dependency-places.ts'
import { servicesOf } from './evaluate-services.ts'
import type { AssemblyOptions } from './assembly-options.ts'
import { evaluateModel, type Model, runModel } from './reading/model.ts'
import { membersOf, type Part, partOf, refuse, refuseOthers } from './reading/part.ts'
import { rootOf } from './reading/problems.ts'
import { readInfrastructure } from './reading/read-infrastructure.ts'
import { forEachSystem, systemOfTarget, systemsOf } from './reading/systems.ts'
import { packagesForTargets, readTargetPackages } from './reading/target-packages.ts'
import { targetNamesOf } from './reading/target-names.ts'

const SECTIONS = ['services', 'infrastructure', 'targetPackages']

/** Reads an architecture model; its services have their own `targets`, and services without are left out. */
export async function readArchitecture(
  model: Model,
  { system: coordinator, contextFor, problems }: AssemblyOptions,
): Promise<ArchitectureModel> {
  const evaluate = async (system: System) => {
    const raw = await evaluateModel(model, { kind: 'architecture', context: contextFor('architecture', { system }) })
    return runModel(model, () => sectionsOf(rootOf(model, raw, { prefix: [], problems })))
  }
  const own = await evaluate(coordinator)
  const infrastructure = runModel(model, () => readInfrastructure(own.infrastructure))
  const sections = await forEachSystem(systemsOf(infrastructure, coordinator), {
    isFunction: typeof model.value === 'function',
    evaluate: async (system) => (system === coordinator ? own : evaluate(system)),
  })
  const services = servicesOf({
    model,
    parts: mapValues(sections, (section) => section.services),
    nameTargetFor: (system) => targetNamesOf((sections.get(system) ?? own).infrastructure.value).nameOf,
    problems,
  })
  suspectUnplaced(services, own.services)
  const packages = mapValues(sections, ({ targetPackages }) =>
    runModel(model, () => readTargetPackages(targetPackages, model)),
  )
  return {
    services: new Map([...services].filter(([, service]) => service.targets !== undefined)),
    infrastructure,
    targetPackages: packagesForTargets(packages, systemOfTarget(infrastructure, coordinator)),
    placeOf([root = '', ...steps]) {
      const path = [root, ...(root === 'services' ? dependencySteps(own.services.value, steps) : steps)]
      return { ...model.placeOf(path), path }
    },
  }
}

function suspectUnplaced(services: ArchitectureModel['services'], { origin, path }: Part): void {
  const unplaced = [...services].filter(([, { targets }]) => targets === undefined).map(([name]) => name)
  const [first] = unplaced
  if (first === undefined) return
  const at = [...path, first]
  const hint = "add 'targets', or write 'targets: []' to leave it out"
  origin.problems.push(asDiagnostic(placedNowhere(unplaced, hint), { path: at, place: origin.placeOfKey(at) }))
}

function sectionsOf(root: Part): {
  readonly services: Part
  readonly infrastructure: Part
  readonly targetPackages: Part
} {
  const members = membersOf(root, 'an architecture with services and infrastructure')
  refuseOthers(members, SECTIONS, 'an architecture')
  const missing = (section: string) => {
    if (section !== 'targetPackages') refuse(root, `the architecture has no '${section}'`)
    return partOf(root, section, {})
  }
  const sectionNamed = (section: string) => members.get(section) ?? missing(section)
  return {
    services: sectionNamed('services'),
    infrastructure: sectionNamed('infrastructure'),
    targetPackages: sectionNamed('targetPackages'),
  }
}

function mapValues<Key, Value, Result>(
  map: ReadonlyMap<Key, Value>,
  change: (value: Value) => Result,
): ReadonlyMap<Key, Result> {
  return new Map([...map].map(([key, value]) => [key, change(value)]))
}
