import {
  Architecture,
  BuildModel,
  DeploymentModel,
  type Format,
  InfrastructureModel,
  ProfileManifest,
} from '@davit/documents'
import { type Data, Float } from '@davit/languages'
import type { KIND_NAMES } from './description.ts'

export type KindName = (typeof KIND_NAMES)[number]

/** A kind of document or model. */
export interface Kind {
  readonly name: KindName
  /** Name in messages, with its article. */
  readonly title: string
  /** Missing for models that are no documents: they are converted as they are. */
  readonly format?: Format<unknown>
  /** Function of the module `davit` that types it. */
  readonly definition?: string
}

export const KINDS: Readonly<Record<KindName, Kind>> = {
  manifest: document('manifest', { ...DeploymentModel, title: 'a manifest' }, 'defineDeploymentModel'),
  'profile-manifest': document('profile-manifest', ProfileManifest.ofAnyTarget),
  infrastructure: document('infrastructure', InfrastructureModel, 'defineInfrastructure'),
  'build-model': document('build-model', BuildModel, 'defineBuildModel'),
  architecture: document('architecture', Architecture),
  'architecture-model': {
    name: 'architecture-model',
    title: 'an architecture model',
    definition: 'defineArchitecture',
  },
  services: { name: 'services', title: 'a services model', definition: 'defineServices' },
  distribution: { name: 'distribution', title: 'a distribution model', definition: 'defineDistribution' },
  packages: { name: 'packages', title: 'a packages model', definition: 'definePackages' },
}

/** Only the form of a document matters here: who uses it checks its references, and knows the keys that it may have. */
function document<Value>(name: KindName, format: Format<Value>, definition?: string): Kind {
  const { knowsAllKeys: _, check: __, ...form } = format
  const { title } = form
  return { name, title, format: form, ...(definition === undefined ? {} : { definition }) }
}

/** Returns the kind of a document by the name that the document states. */
export function kindOfDocument(document: unknown): Kind | undefined {
  return Object.values(KINDS).find(({ format }) => format !== undefined && format.name === document)
}

/** Models whose packages are derivations in the Nix language. */
export const WITH_PACKAGES: ReadonlySet<KindName> = new Set(['services', 'packages', 'architecture-model'])

export function isTable(data: Data | undefined): data is ReadonlyMap<string, Data> {
  return data instanceof Map && !(data instanceof Float)
}
