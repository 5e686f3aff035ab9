import {
  Architecture,
  BuildModel,
  DeploymentModel,
  type Format,
  InfrastructureModel,
  ProfileManifest,
} from '@davit/documents'
import { isLikeModel, kindOfModel, type ModelKind } from '@davit/models'
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

/** Recognises data that do not state what they are. */
export function kindOfData(data: Data): Kind | undefined {
  const document = isTable(data) ? documentLike(data) : undefined
  const model = document === undefined ? kindOfModel(data) : undefined
  return model === undefined ? document : KINDS[NAMES[model]]
}

/** Recognises what a program wrote: all sections are there, and may be empty. */
function documentLike(data: ReadonlyMap<string, Data>): Kind | undefined {
  const tables = (...names: readonly string[]) => names.every((name) => isTable(data.get(name)))
  const aList = (...names: readonly string[]) => names.some((name) => Array.isArray(data.get(name)))
  if (tables('services', 'infrastructure', 'targetPackages', 'store')) return KINDS.architecture
  if (aList('derivationMappings') && tables('interfaces')) return KINDS['build-model']
  if (!aList('serviceMappings', 'snapshotMappings')) return undefined
  return tables('infrastructure') || tables('profiles') ? KINDS.manifest : KINDS['profile-manifest']
}

/** Whether data may be of a kind that they do not state. */
export function mayBe(data: Data, { name }: Kind): boolean {
  const models = Object.entries(NAMES).filter(([, kind]) => kind === name)
  return models.some(([model]) => isLikeModel(data, model as ModelKind))
}

const NAMES: Readonly<Record<ModelKind, KindName>> = {
  deployment: 'manifest',
  build: 'build-model',
  architecture: 'architecture-model',
  services: 'services',
  infrastructure: 'infrastructure',
  packages: 'packages',
  distribution: 'distribution',
}

export function isTable(data: Data | undefined): data is ReadonlyMap<string, Data> {
  return data instanceof Map && !(data instanceof Float)
}
