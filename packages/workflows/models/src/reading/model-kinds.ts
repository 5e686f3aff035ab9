import { DavitError, type Diagnostic, ExitStatus } from '@davit/diagnostics'
import { entriesOf, memberOf } from './part.ts'

/** The kinds of models, each by the name of its role. */
export type ModelKind =
  | 'services'
  | 'infrastructure'
  | 'distribution'
  | 'packages'
  | 'architecture'
  | 'deployment'
  | 'build'

interface Kind {
  /** With its article. */
  readonly title: string
  /** How it is given to the tools that read it. */
  readonly option: string
  isLike(value: unknown): boolean
}

/** What is told from all others stands first. */
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

export interface GivenModel {
  readonly file: string
  readonly kind: ModelKind
  readonly value: unknown
}

/** Refuses all those that are evidently models of another kind than they are given as. */
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
  // Their sections have names: nobody else says such things in them.
  const other = [deployment, build, own, ...Object.values(MODEL_KINDS)].find(({ isLike }) => isLike(value))
  if (other === own) return undefined
  if (other === undefined) return wrapperProblem({ file, kind, value })
  const place = { file }
  const message = `expected ${own.title}, but this looks like ${other.title}`
  return { severity: 'error', message, place, hint: `was it meant for ${other.option}?` }
}

/** `services: { web: … }`, as it stands in an architecture model. */
function wrapperProblem({ file, kind, value }: GivenModel): Diagnostic | undefined {
  const [name, ...others] = Array.from(entriesOf(value) ?? [], ([key]) => key)
  const { title, isLike } = MODEL_KINDS[kind]
  if (name !== kind || others.length > 0 || !isLike(memberOf(value, kind))) return undefined
  const message = `expected ${title}, but got a table that has one in '${kind}'`
  return { severity: 'error', message, place: { file }, hint: `leave out '${kind}': what it holds is the model` }
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

/** The first elements say what a list is; it may be of any length. */
function firstOf(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? (list as readonly unknown[]).slice(0, MAX_LOOKED_AT) : []
}

const MAX_LOOKED_AT = 100
