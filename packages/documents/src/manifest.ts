import * as v from 'valibot'
import { checkManifest } from './check-manifest.ts'
import type { Format } from './format.ts'
import { serviceKey, storePath, targetName } from './ids.ts'
import { infrastructure, infrastructureXml } from './infrastructure.ts'
import { manifestService, manifestServicesXml } from './manifest-service.ts'
import { serviceMapping, serviceMappingsXml, snapshotMapping, snapshotMappingsXml } from './mapping.ts'
import { table } from './property.ts'
import * as spell from './spelling.ts'
import { storeOf, storeReference, storeReferenceXml } from './store-reference.ts'

const sections = {
  profiles: table(targetName, storePath),
  services: table(serviceKey, manifestService),
  infrastructure,
  serviceMappings: v.array(serviceMapping),
  snapshotMappings: v.array(snapshotMapping),
}

/** What has to be done, one to one: profiles to copy, services to activate, state to move. */
export const manifest = v.pipe(
  v.object({ ...sections, store: v.exactOptional(storeReference) }),
  v.transform((written) => ({ ...written, store: written.store ?? impliedStore(written) })),
)
export type Manifest = v.InferOutput<typeof manifest>

export const manifestXml = spell.record({
  profiles: spell.table('profile', spell.text),
  services: manifestServicesXml,
  infrastructure: infrastructureXml,
  serviceMappings: serviceMappingsXml,
  snapshotMappings: snapshotMappingsXml,
  store: storeReferenceXml,
})

export const Manifest: Format<Manifest> = {
  name: 'manifest',
  title: 'manifest',
  version: 2,
  header: 'required',
  schema: manifest,
  xml: manifestXml,
  written: withoutImpliedStore,
  check: checkManifest,
}

/** A manifest in which every section may be absent or incomplete; whoever reads it fills in the rest. */
function impliedStore({ services, profiles }: Pick<Manifest, 'services' | 'profiles'>) {
  const [service] = services.values()
  const [profile] = profiles.values()
  return storeOf(service?.pkg ?? profile)
}

/** Manifests of the Nix store are written exactly as in the original toolset, which knows no other. */
function withoutImpliedStore({ store, ...rest }: Manifest): Omit<Manifest, 'store'> | Manifest {
  const implied = impliedStore(rest)
  return store.kind === 'nix' && implied.kind === 'nix' && store.directory === implied.directory ? rest : { ...rest, store }
}
