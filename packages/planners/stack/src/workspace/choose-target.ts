import { quoted, suggestionFor } from '@davit/diagnostics'
import { finding, type FindingDetails, placeOf, type Spot, type StackFinding } from '../finding.ts'
import type { Cluster, Workspace } from './workspace.ts'

/** Where a stack is to run; both are empty if nobody says. */
export interface StackTarget {
  readonly cloud: string | undefined
  readonly scheduler: string | undefined
}

export interface TargetChoice {
  /** `-c` */
  readonly cluster: string | undefined
  /** `-t`, as CLOUD or CLOUD:SCHEDULER */
  readonly target: string | undefined
  /** Whether `-i` is given. */
  readonly hasInfrastructure: boolean
  readonly skipsCode: boolean
}

export interface ChosenTarget extends StackTarget {
  readonly cluster: Cluster | undefined
  readonly findings: readonly StackFinding[]
}

export const CLOUDS = ['aws', 'gcp', 'azure', 'vmware', 'machines'] as const
/** Schedulers, and the only cloud that has them, if there is one. */
const SCHEDULERS: ReadonlyMap<string, string | undefined> = new Map([
  ['swarm', undefined],
  ['kubernetes', undefined],
  ['mesos', undefined],
  ['ecs', 'aws'],
  ['gke', 'gcp'],
  ['acs', 'azure'],
])

/** Targets that code can be made for. */
const BACK_ENDS: ReadonlySet<string> = new Set(['machines', 'aws', 'aws:ecs'])

/** Chooses cluster and target, by the command line and by the workspace. */
export function chooseTarget(workspace: Workspace, choice: TargetChoice): ChosenTarget {
  const findings: StackFinding[] = []
  const given = parseTarget(choice.target, choice, findings)
  const cluster = chooseCluster(workspace, choice.cluster, findings)
  const own = targetOf(cluster, findings)
  const { cloud = own.cloud, scheduler = own.scheduler } = given
  const chosen = { cloud, scheduler, cluster }
  if (findings.length > 0) return { ...chosen, findings }
  const conflict = conflictOf(given, own, { cluster, hint: hintForConflict(workspace, chosen, choice) })
  const problem = conflict ?? problemOf(chosen, choice, workspace)
  return {
    ...chosen,
    findings: [
      ...unusedMachines(chosen, choice),
      ...unusedIn(cluster, own),
      ...(problem === undefined ? [] : [problem]),
    ],
  }
}

/** Warns of an infrastructure model on the command line for another cloud. */
function unusedMachines({ cloud }: AnyTarget, { hasInfrastructure }: TargetChoice): readonly StackFinding[] {
  if (!hasInfrastructure || cloud === undefined || cloud === 'machines') return []
  const message = `the infrastructure model of the command line is not used: the cloud is ${quoted(cloud)}`
  return [finding('MU104', ['infrastructure'], { message, hint: 'leave out one of -t and -i' })]
}

/** Warns of what only machines have in a cluster of another cloud. */
function unusedIn(cluster: Cluster | undefined, { cloud }: AnyTarget): readonly StackFinding[] {
  if (cluster === undefined || cloud === undefined || cloud === 'machines') return []
  const { infrastructure, placement, spots } = cluster
  const stated = { infrastructure: infrastructure !== undefined, placement: placement.size > 0 }
  return (['infrastructure', 'placement'] as const).flatMap((key) => {
    if (!stated[key]) return []
    const message = `'${key}' of cluster ${quoted(cluster.name)} is not used: its cloud is ${quoted(cloud)}`
    const hint = 'leave out the `cloud` of a cluster of machines'
    return [finding('MU104', [key], { message, place: placeOf(spots[key]), hint })]
  })
}

type AnyTarget = { readonly [Key in keyof StackTarget]?: string | undefined }

function parseTarget(
  text: string | undefined,
  { hasInfrastructure }: TargetChoice,
  findings: StackFinding[],
): AnyTarget {
  if (text === undefined) return hasInfrastructure ? { cloud: 'machines' } : {}
  const [cloud = '', ...rest] = text.split(':')
  const scheduler = rest.length === 0 ? undefined : rest.join(':')
  findings.push(...unknownWords({ cloud, scheduler }, () => undefined))
  return { cloud, scheduler }
}

function unknownWords(
  { cloud, scheduler }: AnyTarget,
  spotOf: (key: keyof StackTarget) => Spot | undefined,
): StackFinding[] {
  const at = (key: keyof StackTarget) => {
    const spot = spotOf(key)
    return spot === undefined ? {} : { place: placeOf(spot) }
  }
  const isCloud = cloud === undefined || CLOUDS.some((known) => known === cloud)
  const isScheduler = scheduler === undefined || SCHEDULERS.has(scheduler)
  return [
    ...(isCloud ? [] : [finding('MU120', [cloud], { ...at('cloud'), hint: nameAmong(cloud, CLOUDS, 'clouds') })]),
    ...(isScheduler
      ? []
      : [
          finding('MU121', [scheduler], {
            ...at('scheduler'),
            hint: nameAmong(scheduler, [...SCHEDULERS.keys()], 'schedulers'),
          }),
        ]),
  ]
}

/** A similar name, or all that there are. */
function nameAmong(name: string, names: readonly string[], what: string): string {
  const all = names.length === 0 ? `there are no ${what}` : `the ${what} are ${names.map(quoted).join(', ')}`
  return suggestionFor(name, names) ?? all
}

function chooseCluster(
  { clusters, isPartial }: Workspace,
  name: string | undefined,
  findings: StackFinding[],
): Cluster | undefined {
  if (name !== undefined) {
    const named = clusters.get(name)
    if (named === undefined && !isPartial) {
      findings.push(finding('MU124', [name], { hint: nameAmong(name, [...clusters.keys()], 'clusters') }))
    }
    return named
  }
  const defaults = [...clusters.values()].filter(({ isDefault }) => isDefault)
  const [first, second] = defaults
  if (second !== undefined) {
    const names = defaults.map(({ name }) => name)
    findings.push(finding('MU126', names, { place: placeOf(second.spots.name) }))
  }
  return first
}

function targetOf(cluster: Cluster | undefined, findings: StackFinding[]): AnyTarget {
  if (cluster === undefined) return {}
  const { scheduler, infrastructure } = cluster
  const cloud = cluster.cloud ?? (infrastructure === undefined ? undefined : 'machines')
  findings.push(...unknownWords({ cloud, scheduler }, (key) => cluster.spots[key]))
  return { cloud, scheduler }
}

/** Names the clusters of the target that the command line asks for. */
function hintForConflict({ clusters }: Workspace, { cloud }: AnyTarget, { cluster }: TargetChoice): string {
  const others = [...clusters.values()].filter((one) => targetOf(one, []).cloud === cloud)
  if (others.length > 0) return `-c chooses a cluster for it: ${others.map(({ name }) => quoted(name)).join(', ')}`
  return cluster === undefined ? 'it is the default cluster; -c chooses another one' : 'omit -c or the target'
}

interface InCluster {
  readonly cluster: Cluster | undefined
  readonly hint: string
}

function conflictOf(given: AnyTarget, own: AnyTarget, { cluster, hint }: InCluster): StackFinding | undefined {
  const differ = (left: string | undefined, right: string | undefined) =>
    left !== undefined && right !== undefined && left !== right
  if (cluster === undefined) return undefined
  if (!differ(given.cloud, own.cloud) && !differ(given.scheduler, own.scheduler)) return undefined
  return finding('MU123', [textOf(given), cluster.name, textOf(own)], { place: placeOf(cluster.spots.cloud), hint })
}

function problemOf(
  { cloud, scheduler, cluster }: AnyTarget & Pick<ChosenTarget, 'cluster'>,
  { skipsCode }: TargetChoice,
  workspace: Workspace,
) {
  const place = cluster === undefined ? {} : { place: placeOf(cluster.spots.cloud) }
  if (cloud !== undefined && scheduler !== undefined && !isPair(cloud, scheduler)) {
    return finding('MU122', [cloud, scheduler], place)
  }
  if (skipsCode) return undefined
  if (cloud === undefined) return noCloud(workspace, place)
  const target = textOf({ cloud, scheduler })
  return BACK_ENDS.has(target) ? undefined : finding('MU603', [target], place)
}

function noCloud({ clusters, isPartial }: Workspace, at: Pick<FindingDetails, 'place'>): StackFinding | undefined {
  return isPartial ? undefined : finding('MU125', [], { ...at, hint: waysToChoose([...clusters.keys()]) })
}

function waysToChoose(clusters: readonly string[]): string {
  if (clusters.length === 0) return 'name a cloud with -t, or machines with -i'
  return `name a cluster with -c: ${clusters.map(quoted).join(', ')}`
}

function isPair(cloud: string, scheduler: string): boolean {
  const only = SCHEDULERS.get(scheduler)
  return cloud !== 'machines' && (only === undefined || only === cloud)
}

function textOf({ cloud = '', scheduler }: AnyTarget): string {
  return scheduler === undefined ? cloud : `${cloud}:${scheduler}`
}
