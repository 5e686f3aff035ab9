import { parseWritten, type Written } from '@davit/languages'
import { finding, keyOf, placeOf, type Spot, type StackFinding } from '../finding.ts'
import { SPECS } from '../hints.ts'
import { isNothing, type ReportAt, type Shapes, shapesFor } from '../mufile/shapes.ts'
import { languageOf } from '../references/language-of.ts'
import { DEFAULT_BASE, parseReference } from '../references/reference.ts'
import { parseSpec } from '../references/spec.ts'
import { type StackValue, valueOf } from '../values/stack-value.ts'
import { type Cluster, type Repository, UNREAD_WORKSPACE, type Workspace } from './workspace.ts'

const KEYS = ['namespace', 'clusters', 'dependencies', 'repositories']
const CLUSTER_KEYS = ['default', 'description', 'cloud', 'scheduler', 'settings', 'infrastructure', 'placement']

export interface WorkspaceReading {
  readonly workspace: Workspace
  readonly findings: readonly StackFinding[]
}

/** Parses a workspace file; without errors among the findings, the workspace is whole. */
export function parseWorkspace({ name, text }: { readonly name: string; readonly text: string }): WorkspaceReading {
  const reading = parseWritten(text, { file: name, language: languageOf(name) })
  if (reading.kind === 'invalid') {
    const [problem] = reading.problems
    const found = finding('MU152', [], { ...problem, place: problem?.place ?? { file: name } })
    return { workspace: UNREAD_WORKSPACE, findings: [found] }
  }
  const findings: StackFinding[] = []
  const report: ReportAt = (code, subjects, { spot, ...details }) => {
    findings.push(finding(code, subjects, { ...details, place: placeOf(spot) }))
  }
  const workspace = read(reading.root, { report, shapes: shapesFor('MU152', report) })
  return { workspace: { ...workspace, isPartial: findings.some(({ code }) => code === 'MU152') }, findings }
}

interface Reader {
  readonly report: ReportAt
  readonly shapes: Shapes
}

function read(root: Written, reader: Reader): Omit<Workspace, 'isPartial'> {
  const { shapes } = reader
  const members = new Map(shapes.table(root, 'a workspace file'))
  for (const [key, value] of members) if (!KEYS.includes(key)) shapes.unknown(key, value, KEYS)
  const clusters = shapes.table(members.get('clusters'), "'clusters'")
  // In the order of their keys, and so are problems.
  const { namespace, ...stated } = {
    clusters: new Map(clusters.map(([name, written]) => [name, readCluster(name, written, shapes)])),
    pins: readPins(members.get('dependencies'), reader),
    namespace: shapes.text(members.get('namespace'), "'namespace'"),
    repositories: readRepositories(members.get('repositories'), reader),
  }
  return { ...stated, namespace: namespace === '' ? undefined : namespace }
}

function readCluster(name: string, written: Written, shapes: Shapes): Cluster {
  const members = new Map(shapes.table(written, `cluster '${name}'`))
  for (const [key, value] of members) if (!CLUSTER_KEYS.includes(key)) shapes.unknown(key, value, CLUSTER_KEYS)
  const text = (key: string) => shapes.text(members.get(key), `'${key}'`)
  const spotOf = (key: string) => {
    const member = members.get(key)
    return isNothing(member) ? keyOf(written) : member
  }
  return {
    name,
    cloud: text('cloud'),
    isDefault: shapes.truth(members.get('default'), "'default'"),
    description: text('description'),
    infrastructure: text('infrastructure'),
    placement: readPlacement(members.get('placement'), shapes),
    scheduler: text('scheduler'),
    settings: valuesIn(shapes.table(members.get('settings'), "'settings'")),
    spots: {
      name: keyOf(written),
      cloud: spotOf('cloud'),
      scheduler: spotOf('scheduler'),
      infrastructure: spotOf('infrastructure'),
      placement: spotOf('placement'),
    },
    spotsIn: { settings: keysIn(members.get('settings')), placement: keysIn(members.get('placement')) },
  }
}

function keysIn(written: Written | undefined): ReadonlyMap<string, Spot> {
  const members = written?.kind === 'table' ? [...written.members] : []
  return new Map(members.map(([key, member]) => [key, keyOf(member)]))
}

function valuesIn(members: readonly (readonly [string, Written])[]): ReadonlyMap<string, StackValue> {
  return new Map(members.map(([key, member]) => [key, valueOf(member)]))
}

function readPlacement(written: Written | undefined, shapes: Shapes): ReadonlyMap<string, readonly string[]> {
  const members = shapes.table(written, "'placement'")
  return new Map(
    members.map(([pattern, targets]) => {
      const items = shapes.list(targets, `the targets of '${pattern}'`)
      return [pattern, items.flatMap((item) => shapes.text(item, 'a target') ?? [])]
    }),
  )
}

function readPins(written: Written | undefined, { shapes, report }: Reader): Workspace['pins'] {
  const stacks = new Map<string, string>()
  const namespaces = new Map<string, string>()
  for (const [key, value] of shapes.table(written, "'dependencies'")) {
    const prefix = prefixOf(key)
    const spec = shapes.text(value, `the version of '${key}'`) ?? ''
    if (prefix === undefined) report('MU156', [key], { spot: keyOf(value) })
    else if (parseSpec(spec) !== undefined) (prefix.endsWith('/') ? namespaces : stacks).set(prefix, spec)
    else if (value.kind === 'scalar') {
      const message = `'${spec}' is no version that '${key}' could have`
      report('MU156', [key], { spot: value, message, hint: SPECS })
    }
  }
  return { stacks, namespaces }
}

function readRepositories(written: Written | undefined, { shapes, report }: Reader): readonly Repository[] {
  return shapes.table(written, "'repositories'").flatMap(([key, value]): Repository[] => {
    const prefix = prefixOf(key)
    const url = shapes.text(value, `the repository of '${key}'`)
    if (prefix === undefined) report('MU156', [key], { spot: keyOf(value) })
    return prefix === undefined || url === undefined ? [] : [{ prefix, url, spot: value }]
  })
}

/** Returns base and name of a reference without version; those of a namespace, `aws/...`, end with `/`. */
function prefixOf(key: string): string | undefined {
  const isNamespace = key.endsWith('/...')
  const reference = parseReference(isNamespace ? key.slice(0, -'/...'.length) : key)
  if (reference === undefined || reference.spec !== undefined) return undefined
  return `${reference.base ?? DEFAULT_BASE}${reference.name}${isNamespace ? '/' : ''}`
}
