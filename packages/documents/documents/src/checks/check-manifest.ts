import { atPath, type Diagnostic, type Path } from '@davit/diagnostics'
import { checkServiceSecrets, checkTargetSecrets } from './check-secrets.ts'
import { checkTargets } from './check-targets.ts'
import type { ServiceKey, StorePath } from '../ids.ts'
import type { Manifest } from '../manifest.ts'
import type { Mapping } from '../mapping.ts'
import type { ProfileManifest } from '../profile-manifest.ts'
import { checkReferences, type Reference } from './check-references.ts'

/** Finds references to services and targets that the manifest does not have, and paths outside its store. */
export function checkManifest(manifest: Manifest): Diagnostic[] {
  const { services, infrastructure, profiles } = manifest
  const dangling = danglingSteps(manifest)
  const targets = [
    ...[...profiles.keys()].map((name) => ({ path: ['profiles', name], name })),
    ...dangling.map(targetIn),
  ]
  return [
    ...checkReferences(dangling.flatMap(servicesIn), { what: 'service with key', table: services }),
    ...checkReferences(targets, { what: 'target', table: infrastructure }),
    ...checkTargets(infrastructure, ['infrastructure']),
    ...checkTargetSecrets(infrastructure, ['infrastructure']),
    ...checkServiceSecrets(services),
    ...checkStore(manifest),
  ]
}

/** Checks that a profile manifest contains the services mapped to its target; their dependencies may be elsewhere. */
export function checkProfileManifest({ services, serviceMappings }: ProfileManifest): Diagnostic[] {
  const references = serviceMappings.map(({ service: name }, index) => ({
    path: ['serviceMappings', index, 'service'],
    name,
  }))
  return [
    ...checkReferences(references, { what: 'service with key', table: services }),
    ...checkServiceSecrets(services),
  ]
}

/** Finds paths outside the store of the manifest: a deployment has one store. */
function checkStore({ store: { directory }, services, profiles }: Manifest): Diagnostic[] {
  const isOutside = (at: StorePath) => !at.startsWith(directory) || at.lastIndexOf('/') !== directory.length
  const found: Diagnostic[] = []
  const add = (path: Path, at: StorePath) =>
    found.push(atPath(path, `'${at}' is not in the store of this manifest, '${directory}'`))
  for (const [name, at] of profiles) if (isOutside(at)) add(['profiles', name], at)
  for (const [key, { pkg: at }] of services) if (isOutside(at)) add(['services', key, 'pkg'], at)
  return found
}

interface Step {
  readonly path: Path
  readonly mapping: Mapping & { readonly containerProvidedByService?: ServiceKey }
}

/** Finds the mappings that refer to something that the manifest does not have. Only these get a path: there are many mappings. */
function danglingSteps({ services, infrastructure, serviceMappings, snapshotMappings }: Manifest): readonly Step[] {
  const found: Step[] = []
  const add = (mappings: readonly Step['mapping'][], path: Path) => {
    for (const [index, mapping] of mappings.entries()) {
      const { service, target, containerProvidedByService: provider } = mapping
      const isSound = services.has(service) && infrastructure.has(target)
      if (isSound && (provider === undefined || services.has(provider))) continue
      found.push({ path: [...path, index], mapping })
    }
  }
  add(serviceMappings, ['serviceMappings'])
  add(snapshotMappings, ['snapshotMappings'])
  for (const [key, { dependsOn, connectsTo }] of services) {
    if (dependsOn.length > 0) add(dependsOn, ['services', key, 'dependsOn'])
    if (connectsTo.length > 0) add(connectsTo, ['services', key, 'connectsTo'])
  }
  return found
}

function servicesIn({ path, mapping: { service, containerProvidedByService: provider } }: Step): Reference[] {
  const reference = { path: [...path, 'service'], name: service }
  return provider === undefined
    ? [reference]
    : [reference, { path: [...path, 'containerProvidedByService'], name: provider }]
}

function targetIn({ path, mapping }: Step): Reference {
  return { path: [...path, 'target'], name: mapping.target }
}
