import { DavitError, type Diagnostic, ExitStatus } from '@davit/diagnostics'
import { entriesOf, memberOf } from './part.ts'

/** The kinds of models, named after their roles. */
export type ModelKind =
  | 'services'
  | 'infrastructure'
  | 'distribution'
  | 'packages'
  | 'architecture'
  | 'deployment'
  | 'build'

interface Kind {
  /** Name in messages, with its article. */
  readonly title: string
  /** Option that passes the model to a tool. */
  readonly option: string
  isLike(value: unknown): boolean
}

/** The kinds in order of recognition: the most distinctive first. */
export const MODEL_KINDS: Readonly<Record<ModelKind, Kind>> = {
  deployment: {
    title: 'a deployment model',
    option: '-D',
    isLike: (value) =>
      membersOf(memberOf(value, 'profiles')).some((path) => typeof path === 'string' && path.startsWith('/')) ||
      ['serviceMappings', 'snapshotMappings'].some((name) => hasItem(memberOf(value, name), 'service')),
  },
  build: {
    title: 'a build model',
    option: '-B of davit-delegate-build',
    isLike: (value) =>
      hasItem(memberOf(value, 'derivationMappings'), 'derivation') ||
      membersOf(memberOf(value, 'interfaces')).some((member) => has(member, 'targetAddress')),
  },
  architecture: {
    title: 'an architecture model',
    option: '-A',
    isLike: (value) => ['services', 'infrastructure'].every((name) => isTable(memberOf(value, name))),
  },
  services: {
    title: 'a services model',
    option: '-s',
    isLike: (value) =>
      membersOf(value).some((member) => has(member, 'pkg') || (hasAny(member, SERVICE) && !has(member, 'properties'))),
  },
  infrastructure: {
    title: 'an infrastructure model',
    option: '-i',
    isLike: (value) => membersOf(value).some((member) => hasAny(member, ['properties', 'containers'])),
  },
  packages: {
    title: 'a packages model',
    option: '-P',
    isLike: (value) => itemsOf(value).some((item) => hasAny(item, ['source', 'build', 'outPath'])),
  },
  distribution: {
    title: 'a distribution model',
    option: '-d',
    isLike: (value) =>
      membersOf(value).some((member) => Array.isArray(memberOf(member, 'targets'))) ||
      itemsOf(value).some((item) => typeof item === 'string' || hasAny(item, ['target', 'properties'])),
  },
}

const SERVICE = ['type', 'dependsOn', 'connectsTo']

/** Recognises a model by its members. */
export function kindOfModel(value: unknown): ModelKind | undefined {
  return (Object.keys(MODEL_KINDS) as ModelKind[]).find((kind) => MODEL_KINDS[kind].isLike(value))
}

/** Whether the members of a value are those of a model of a kind, whatever else it may be. */
export function isLikeModel(value: unknown, kind: ModelKind): boolean {
  return MODEL_KINDS[kind].isLike(value)
}

export interface GivenModel {
  readonly file: string
  readonly kind: ModelKind
  readonly value: unknown
}

/** Refuses models that are evidently of another kind than expected. */
export function refuseMistaken(models: readonly GivenModel[]): void {
  const diagnostics = models.flatMap((model) => mistakeOf(model) ?? [])
  if (diagnostics.length === 0) return
  const message =
    diagnostics.length === 1 ? 'a model is not of the expected kind' : 'models are not of the expected kinds'
  throw new DavitError('wrong-model', message, {
    exitStatus: ExitStatus.badDocument,
    diagnostics,
  })
}

function mistakeOf({ file, kind, value }: GivenModel): Diagnostic | undefined {
  const own = MODEL_KINDS[kind]
  const { deployment, build } = MODEL_KINDS
  // The sections of deployment and build models have distinctive names.
  const other = [deployment, build, own, ...Object.values(MODEL_KINDS)].find(({ isLike }) => isLike(value))
  if (other === own) return undefined
  if (other === undefined) return wrapperProblem({ file, kind, value })
  const place = { file }
  const message = `expected ${own.title}, but this looks like ${other.title}`
  return { severity: 'error', message, place, hint: `was it meant for ${other.option}?` }
}

/** Recognises `services: { web: … }`, as in an architecture model. */
function wrapperProblem({ file, kind, value }: GivenModel): Diagnostic | undefined {
  const [name, ...others] = Array.from(entriesOf(value) ?? [], ([key]) => key)
  const { title, isLike } = MODEL_KINDS[kind]
  if (name !== kind || others.length > 0 || !isLike(memberOf(value, kind))) return undefined
  const message = `expected ${title}, but got a table that contains one in '${kind}'`
  return { severity: 'error', message, place: { file }, hint: `remove the outer '${kind}': its content is the model` }
}

function isTable(value: unknown): boolean {
  return entriesOf(value) !== undefined
}

function has(value: unknown, name: string): boolean {
  return memberOf(value, name) !== undefined
}

function hasAny(value: unknown, names: readonly string[]): boolean {
  return isTable(value) && names.some((name) => has(value, name))
}

function hasItem(value: unknown, name: string): boolean {
  return firstOf(value).some((item) => has(item, name))
}

function membersOf(value: unknown): readonly unknown[] {
  return Array.from(entriesOf(value) ?? [], ([, member]) => member)
}

function itemsOf(value: unknown): readonly unknown[] {
  return membersOf(value).flatMap((member) => firstOf(member))
}

/** The first elements are enough to recognise a list, which may be of any length. */
function firstOf(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? (list as readonly unknown[]).slice(0, MAX_LOOKED_AT) : []
}

const MAX_LOOKED_AT = 100
