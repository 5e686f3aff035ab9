import * as v from 'valibot'
import { checkManifest } from './checks/check-manifest.ts'
import type { Format } from './format.ts'
import { serviceKey, storePath, type StorePath, targetName } from './ids.ts'
import { infrastructure, infrastructureXml } from './infrastructure.ts'
import { manifestService, manifestServicesXml } from './manifest-service.ts'
import { serviceMapping, serviceMappingsXml, snapshotMapping, snapshotMappingsXml } from './mapping.ts'
import { list, table } from './quick-schemas.ts'
import * as spell from './xml/spelling.ts'
import { storeOf, type StoreReference, storeReference, storeReferenceXml } from './store-reference.ts'

const sections = {
  profiles: table(targetName, storePath),
  services: table(serviceKey, manifestService),
  infrastructure,
  serviceMappings: list(serviceMapping),
  snapshotMappings: list(snapshotMapping),
}

/** What to deploy: profiles to copy, services to activate, state to move. */
export const manifest = v.pipe(
  v.object({ ...sections, store: v.exactOptional(storeReference) }),
  v.transform((written) => ({ ...written, store: written.store ?? storeIn(written) })),
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
  title: 'a manifest',
  version: 2,
  madeBy: 'davit-normalize … | davit-manifest',
  header: 'required',
  schema: manifest,
  xml: manifestXml,
  written: withoutNixStore,
  check: checkManifest,
}

interface Paths {
  readonly services: ReadonlyMap<string, { readonly pkg: StorePath }>
  readonly profiles: ReadonlyMap<string, StorePath>
}

/** Store of a manifest that names none: that of its first path, in order of names. */
function storeIn({ services, profiles }: Paths): StoreReference {
  return storeOf(firstOf(services)?.pkg ?? firstOf(profiles))
}

function firstOf<Value>(entries: ReadonlyMap<string, Value>): Value | undefined {
  let first: string | undefined
  for (const name of entries.keys()) if (first === undefined || name < first) first = name
  return first === undefined ? undefined : entries.get(first)
}

/** Leaves out the Nix store, so that such manifests are written exactly as by the original toolset, which knows no other store. */
function withoutNixStore({ store, ...rest }: Manifest): object {
  const implied = storeIn(rest)
  const isImplied = implied.kind === 'nix' && store.kind === 'nix' && implied.directory === store.directory
  return isImplied ? rest : { ...rest, store }
}
