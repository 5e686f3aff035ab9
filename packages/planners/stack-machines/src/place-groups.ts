import { hash } from 'node:crypto'
import { quoted } from '@davit/diagnostics'
import { compareText } from '@davit/languages'
import { finding, type Instance, placeOf, type StackFinding } from '@davit/stack'
import type { Targets } from './addresses.ts'
import { allowedTargets, type PlacementTable } from './allowed-targets.ts'
import type { Group } from './groups.ts'
import { placeOfPort, type PortsOf } from './ports.ts'

export interface PlacementContext {
  readonly targets: Targets
  readonly placement: PlacementTable
  readonly portsOf: PortsOf
  typeOf(leaf: Instance): string
  replicasOf(leaf: Instance): number
  /** Targets on which a leaf runs already. */
  deployedOn(leaf: Instance): ReadonlySet<string>
}

/**
 * Chooses targets for each group, best first. Who comes or goes moves nobody else: a target is ranked for each group by itself, and
 * those on which it runs come first.
 */
export function placeGroups(
  groups: readonly Group[],
  context: PlacementContext,
  findings: StackFinding[],
): ReadonlyMap<Instance, readonly string[]> {
  const places = new Map<Instance, readonly string[]>()
  const taken = new TakenPorts(context.portsOf)
  for (const group of groups) {
    const chosen = choose(group, context, taken)
    if (chosen.kind === 'refused') {
      findings.push(chosen.finding)
      continue
    }
    for (const target of chosen.targets) taken.take(target, group)
    for (const leaf of group) places.set(leaf, chosen.targets)
  }
  return places
}

type Choice =
  | { readonly kind: 'chosen'; readonly targets: readonly string[] }
  | { readonly kind: 'refused'; readonly finding: StackFinding }

function choose(group: Group, context: PlacementContext, taken: TakenPorts): Choice {
  const replicas = Math.max(1, ...group.map((leaf) => context.replicasOf(leaf)))
  const ranked = rankedFor(group, context)
  const free: string[] = []
  for (const target of ranked) {
    if (free.length < replicas && taken.conflictOn(target, group) === undefined) free.push(target)
  }
  if (free.length === replicas) return { kind: 'chosen', targets: free }
  if (ranked.length < replicas) return { kind: 'refused', finding: tooFew(group, replicas, context) }
  const [conflict] = ranked.flatMap((target) => taken.conflictOn(target, group) ?? [])
  if (conflict === undefined) throw new Error('targets were refused without a port that is taken')
  const { port, leaf, other } = conflict
  return { kind: 'refused', finding: finding('MU612', [port, leaf.fqn, other.fqn], { place: placeOfPort(leaf, port) }) }
}

function rankedFor(group: Group, context: PlacementContext): readonly string[] {
  const [first] = group
  const ranks = candidatesFor(group, context).map((target) => ({
    target,
    isDeployed: group.some((leaf) => context.deployedOn(leaf).has(target)),
    rank: rankOf(first?.fqn ?? '', target),
  }))
  return ranks
    .toSorted((left, right) => {
      if (left.isDeployed !== right.isDeployed) return left.isDeployed ? -1 : 1
      return compareText(left.rank, right.rank)
    })
    .map(({ target }) => target)
}

function rankOf(fqn: string, target: string): string {
  return hash('sha256', `${fqn}\0${target}`)
}

function candidatesFor(group: Group, context: PlacementContext): readonly string[] {
  const sets = group.map((leaf) => new Set(candidatesOf(leaf, context)))
  return [...context.targets.keys()].filter((target) => sets.every((set) => set.has(target)))
}

function candidatesOf(leaf: Instance, { targets, placement, typeOf }: PlacementContext): readonly string[] {
  const allowed = allowedTargets(placement, leaf.fqn)
  return [...targets]
    .filter(([name, { containers }]) => allowed?.has(name) !== false && has(containers, typeOf(leaf)))
    .map(([name]) => name)
}

/** Names of containers are texts of their own kind. */
function has(containers: ReadonlyMap<string, unknown>, type: string): boolean {
  return containers.has(type)
}

/** Names the first leaf that lacks targets by itself, else the group as a whole. */
function tooFew(group: Group, replicas: number, context: PlacementContext): StackFinding {
  const leaf = group.find((one) => candidatesOf(one, context).length < replicas) ?? group[0]
  if (leaf === undefined) throw new Error('a group has leaves')
  const able = candidatesFor(group, context).length
  const message = `'${leaf.fqn}' runs ${replicas} times, each on a target of its own, but ${counted(able)} can take it`
  return finding('MU611', [leaf.fqn, context.typeOf(leaf)], {
    place: placeOf(leaf.spot),
    hint: whyFew(leaf, context),
    ...(replicas === 1 ? {} : { message }),
  })
}

function counted(targets: number): string {
  return targets === 1 ? '1 target' : `${targets === 0 ? 'no' : targets} targets`
}

/** Says what keeps a leaf from targets: the placement, the containers, or that there are none. */
function whyFew(leaf: Instance, { targets, placement, typeOf }: PlacementContext): string {
  const allowed = allowedTargets(placement, leaf.fqn)
  const listed = (names: Iterable<string>) => [...names].map(quoted).join(', ')
  if (targets.size === 0) return 'the infrastructure has no targets'
  if (allowed === undefined || [...targets.keys()].every((name) => allowed.has(name))) {
    return `the targets are ${listed(targets.keys())}; those with a container ${quoted(typeOf(leaf))} can take it`
  }
  return `\`placement\` of the cluster allows only ${listed(allowed) || 'none'}; the targets are ${listed(targets.keys())}`
}

interface Conflict {
  readonly port: number
  readonly leaf: Instance
  readonly other: Instance
}

/** Who listens on which port of which target. */
class TakenPorts {
  readonly #targets = new Map<string, Map<number, Instance>>()
  readonly #portsOf: PortsOf

  constructor(portsOf: PortsOf) {
    this.#portsOf = portsOf
  }

  conflictOn(target: string, group: Group): Conflict | undefined {
    const owners = new Map(this.#targets.get(target))
    for (const leaf of group) {
      for (const port of this.#portsOf(leaf)) {
        const other = owners.get(port)
        if (other !== undefined) return { port, leaf, other }
        owners.set(port, leaf)
      }
    }
    return undefined
  }

  take(target: string, group: Group): void {
    const owners = this.#targets.get(target) ?? new Map<number, Instance>()
    for (const leaf of group) for (const port of this.#portsOf(leaf)) owners.set(port, leaf)
    this.#targets.set(target, owners)
  }
}
