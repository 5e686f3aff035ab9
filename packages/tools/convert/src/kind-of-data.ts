import type { Data } from '@davit/languages'
import { isLikeModel, kindOfModel, type ModelKind } from '@davit/models'
import { isTable, type Kind, type KindName, KINDS } from './kinds.ts'

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
