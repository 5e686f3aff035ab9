import { atPath, type Diagnostic, type Path } from '@davit/diagnostics'
import { checkServiceSecrets, checkTargetSecrets } from './check-secrets.ts'
import { checkTargets } from './check-targets.ts'
import type { Manifest } from '../manifest.ts'
import type { Mapping } from '../mapping.ts'
import type { ProfileManifest } from '../profile-manifest.ts'
import { storeOf } from '../store-reference.ts'
import { checkReferences, type Reference } from './check-references.ts'

/** Finds references to services and targets that the manifest does not have, and paths outside its store. */
export function checkManifest(manifest: Manifest): Diagnostic[] {
  const { services, infrastructure, profiles, serviceMappings, snapshotMappings } = manifest
  const mappings: Step[] = [
    ...stepsOf(serviceMappings, ['serviceMappings']),
    ...stepsOf(snapshotMappings, ['snapshotMappings']),
    ...[...services].flatMap(([key, { dependsOn, connectsTo }]) => [
      ...stepsOf(dependsOn, ['services', key, 'dependsOn']),
      ...stepsOf(connectsTo, ['services', key, 'connectsTo']),
    ]),
  ]
  const targets = [
    ...[...profiles.keys()].map((name) => ({ path: ['profiles', name], name })),
    ...mappings.map(targetIn),
  ]
  return [
    ...checkReferences(mappings.flatMap(servicesIn), { what: 'service with key', table: services }),
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
function checkStore({ store, services, profiles }: Manifest): Diagnostic[] {
  const paths = [
    ...[...profiles].map(([name, at]) => ({ path: ['profiles', name], at })),
    ...[...services].map(([key, { pkg }]) => ({ path: ['services', key, 'pkg'], at: pkg })),
  ]
  return paths
    .filter(({ at }) => storeOf(at).directory !== store.directory)
    .map(({ path, at }) => atPath(path, `'${at}' is not in the store of this manifest, '${store.directory}'`))
}

interface Step {
  readonly path: Path
  readonly mapping: Mapping & { readonly containerProvidedByService?: string }
}

function stepsOf(mappings: readonly Step['mapping'][], path: Path): Step[] {
  return mappings.map((mapping, index) => ({ path: [...path, index], mapping }))
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
