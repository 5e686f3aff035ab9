import { atPath, type Diagnostic, type Path, quoted, suggestionFor } from '@davit/diagnostics'
import type {
  ActivationMapping,
  DeploymentModel,
  FirstManifest,
  FirstSnapshotMapping,
  Infrastructure,
  ManifestService,
  Mapping,
  ServiceKey,
  StorePath,
  TargetName,
} from '@davit/documents'
import { grouped } from '@davit/languages'

export interface FirstTargets {
  readonly infrastructure: Infrastructure
  /** File of the infrastructure model, for messages. */
  readonly infrastructureFile: string
}

export interface DeploymentOfFirst {
  readonly deployment: DeploymentModel
  /** Problems with their paths in the manifest of version 1. */
  readonly problems: readonly Diagnostic[]
}

/** Turns a manifest of version 1 into one of version 2: targets get their names, services move out of the mappings, keys stay. */
export function deploymentOfFirst(first: FirstManifest, targets: FirstTargets): DeploymentOfFirst {
  const problems: Diagnostic[] = []
  const names = targetNames(targets, problems)
  const mappings = first.activation.map((mapping, index) => {
    const path = ['activation', index]
    const target = names.at(mapping.target, [...path, 'target'])
    const dependenciesOf = (kind: 'dependsOn' | 'connectsTo') =>
      mapping[kind].map(({ key: service, container, target: address }, item) => {
        return { service, target: names.at(address, [...path, kind, item, 'target']), container }
      })
    return { mapping, target, dependsOn: dependenciesOf('dependsOn'), connectsTo: dependenciesOf('connectsTo') }
  })
  const deployment: DeploymentModel = {
    profiles: profilesOf(first, names, problems),
    services: servicesOf(mappings, problems),
    infrastructure: targets.infrastructure,
    serviceMappings: mappings.map(({ mapping: { key: service, container }, target }) => ({
      service,
      target,
      container,
    })),
    snapshotMappings: snapshotsOf(first, names, problems),
  }
  return { deployment, problems }
}

interface TargetNames {
  /** Returns the name of the target with an address; reports an address that none or several have. */
  at(address: string, path: Path): TargetName
}

function targetNames({ infrastructure, infrastructureFile }: FirstTargets, problems: Diagnostic[]): TargetNames {
  const byAddress = grouped(infrastructure, ([, target]) => target.properties.get(target.targetProperty))
  const problemOf = (address: string, path: Path, found: readonly TargetName[]): Diagnostic => {
    if (found.length > 0) {
      const both = found.map((name) => `'${name}'`).join(' and ')
      return atPath(path, `the targets ${both} have the same address ${quoted(address)}`, DISTINCT)
    }
    const known = [...byAddress.keys()].filter((one) => typeof one === 'string')
    const add = `add the target to '${infrastructureFile}', with ${quoted(address)} as its address (usually 'hostname')`
    return atPath(path, `no target has the address ${quoted(address)}`, suggestionFor(address, known) ?? add)
  }
  return {
    at(address, path) {
      const found = (byAddress.get(address) ?? []).map(([name]) => name)
      const [name] = found
      if (name === undefined || found.length > 1) problems.push(problemOf(address, path, found))
      return name ?? ('unknown' as TargetName)
    },
  }
}

const DISTINCT = 'version 1 cannot tell them apart: pass an infrastructure model that has only the target that is meant'

function profilesOf(
  { distribution }: FirstManifest,
  names: TargetNames,
  problems: Diagnostic[],
): ReadonlyMap<TargetName, StorePath> {
  const profiles = new Map<TargetName, StorePath>()
  for (const [index, { profile, target: address }] of distribution.entries()) {
    const target = names.at(address, ['distribution', index, 'target'])
    const other = profiles.get(target)
    if (other !== undefined && other !== profile) {
      problems.push(atPath(['distribution', index, 'profile'], `${quoted(address)} has another profile already`))
    }
    profiles.set(target, profile)
  }
  return profiles
}

interface PlacedMapping {
  readonly mapping: ActivationMapping
  readonly dependsOn: readonly Mapping[]
  readonly connectsTo: readonly Mapping[]
}

/** Each mapping repeats its service, which must be the same each time. */
function servicesOf(mappings: readonly PlacedMapping[], problems: Diagnostic[]): DeploymentModel['services'] {
  const services = new Map<ServiceKey, ManifestService>()
  for (const [index, { mapping, dependsOn, connectsTo }] of mappings.entries()) {
    const { key, name, service: pkg, type } = mapping
    const service = { name, pkg, type, dependsOn, connectsTo, providesContainers: new Map() }
    const earlier = services.get(key)
    for (const field of ['name', 'pkg', 'type', 'dependsOn', 'connectsTo'] as const) {
      if (earlier === undefined || JSON.stringify(earlier[field]) === JSON.stringify(service[field])) continue
      const at = field === 'pkg' ? 'service' : field
      problems.push(
        atPath(['activation', index, at], `an earlier mapping with the key ${quoted(key)} has another ${at}`),
      )
    }
    services.set(key, earlier ?? service)
  }
  return services
}

function snapshotsOf(
  { activation, snapshots }: FirstManifest,
  names: TargetNames,
  problems: Diagnostic[],
): DeploymentModel['snapshotMappings'] {
  return snapshots.map((snapshot, index) => {
    const path = ['snapshots', index]
    const { component, container } = snapshot
    const target = names.at(snapshot.target, [...path, 'target'])
    const keys = keysOf(activation, snapshot)
    const [service] = keys
    if (service === undefined || keys.length > 1) problems.push(snapshotProblem(snapshot, keys, path))
    return { component, container, target, service: service ?? ('unknown' as ServiceKey) }
  })
}

/** Finds services by their package: those in the same place, or any if there is none. */
function keysOf(activation: readonly ActivationMapping[], snapshot: FirstSnapshotMapping): readonly ServiceKey[] {
  const same = activation.filter(({ service }) => service === snapshot.service)
  const here = same.filter(({ target, container }) => target === snapshot.target && container === snapshot.container)
  return [...new Set((here.length > 0 ? here : same).map(({ key }) => key))]
}

function snapshotProblem({ service }: FirstSnapshotMapping, keys: readonly ServiceKey[], path: Path): Diagnostic {
  const message =
    keys.length === 0
      ? `no service has the package '${service}'`
      : `several services have the package '${service}': ${keys.map((key) => quoted(key)).join(', ')}`
  return atPath([...path, 'service'], message, 'remove this mapping, and take a snapshot after the conversion')
}
