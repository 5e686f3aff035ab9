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

interface Placement extends PlacementContext {
  /** Targets with a container. */
  offering(container: string): readonly string[]
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
  const placement = { ...context, offering: offeringIn(context.targets) }
  for (const group of groups) {
    const chosen = choose(group, placement, taken)
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

function choose(group: Group, context: Placement, taken: TakenPorts): Choice {
  const replicas = Math.max(1, ...group.map((leaf) => context.replicasOf(leaf)))
  const free: string[] = []
  const conflicts: ConflictOnTarget[] = []
  for (const target of rankedFor(group, context)) {
    const conflict = taken.conflictOn(target, group)
    if (conflict === undefined) free.push(target)
    else conflicts.push({ ...conflict, target })
    if (free.length === replicas) return { kind: 'chosen', targets: free }
  }
  const [conflict] = conflicts
  if (conflict === undefined || free.length + conflicts.length < replicas)
    return { kind: 'refused', finding: tooFew(group, replicas, context) }
  const { port, leaf, other } = conflict
  const details = { place: placeOfPort(leaf, port), hint: whoListens(conflicts) }
  return { kind: 'refused', finding: finding('MU612', [port, leaf.fqn, other.fqn], details) }
}

/** Returns the targets that can take a group, best first; they are ranked only as far as they are asked for. */
function* rankedFor(group: Group, context: Placement): Generator<string> {
  const candidates = candidatesFor(group, context)
  const deployed = new Set(group.flatMap((leaf) => [...context.deployedOn(leaf)]))
  yield* byRank(
    group,
    candidates.filter((target) => deployed.has(target)),
  )
  yield* byRank(
    group,
    candidates.filter((target) => !deployed.has(target)),
  )
}

/** Few groups need more than the best one, so the others are sorted only when they are asked for. */
function* byRank([first]: Group, targets: readonly string[]): Generator<string> {
  const ranked = targets.map((target) => ({ target, rank: hash('sha256', `${first?.fqn}\0${target}`) }))
  let [best] = ranked
  for (const one of ranked) if (best !== undefined && one.rank < best.rank) best = one
  if (best !== undefined) yield best.target
  const others = ranked.filter((one) => one !== best)
  for (const { target } of others.toSorted((left, right) => compareText(left.rank, right.rank))) yield target
}

function candidatesFor(group: Group, context: Placement): readonly string[] {
  const [first = [], ...others] = group.map((leaf) => fitFor(leaf, context))
  const fits = others.map((other) => new Set(other))
  return fits.length === 0 ? first : first.filter((name) => fits.every((fit) => fit.has(name)))
}

/** Returns the targets that can take a leaf. */
function fitFor(leaf: Instance, { placement, typeOf, offering }: Placement): readonly string[] {
  const allowed = allowedTargets(placement, leaf.fqn)
  const able = offering(typeOf(leaf))
  return allowed === undefined ? able : able.filter((name) => allowed.has(name))
}

/** Returns a function that names the targets with a container; they are looked up once. */
function offeringIn(targets: Targets): (container: string) => readonly string[] {
  const known = new Map<string, readonly string[]>()
  return (container) => {
    const offering =
      known.get(container) ?? [...targets].filter(([, target]) => has(target, container)).map(([name]) => name)
    known.set(container, offering)
    return offering
  }
}

/** Names of containers are texts of their own kind. */
function has({ containers }: { readonly containers: ReadonlyMap<string, unknown> }, container: string): boolean {
  return containers.has(container)
}

/** Names the first leaf that lacks targets by itself, else the group as a whole. */
function tooFew(group: Group, replicas: number, context: Placement): StackFinding {
  const leaf = group.find((one) => candidatesFor([one], context).length < replicas) ?? group[0]
  if (leaf === undefined) throw new Error('a group has leaves')
  const able = candidatesFor(group, context).length
  const message = `'${leaf.fqn}' runs ${replicas} times, each on a target of its own, but ${counted(able)} can take it`
  return finding('MU611', [leaf.fqn, context.typeOf(leaf)], {
    place: placeOf(leaf.spot),
    hint: whyApart(group, replicas, context) ?? whyFew(leaf, context),
    ...(replicas === 1 ? {} : { message }),
  })
}

/** Says where leaves of a group could be that cannot be together; undefined if one of them lacks targets by itself. */
function whyApart(group: Group, replicas: number, context: Placement): string | undefined {
  const fits = group.map((leaf) => ({ leaf, names: fitFor(leaf, context) }))
  if (fits.some(({ names }) => names.length < replicas)) return undefined
  const all = fits.map(({ leaf, names }) => `${quoted(leaf.fqn)} can be on ${names.map(quoted).join(', ')}`)
  return `services and their volumes are on the same targets: ${all.join('; ')}`
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

interface ConflictOnTarget extends Conflict {
  readonly target: string
}

/** Names who has which port on which target. */
function whoListens(conflicts: readonly ConflictOnTarget[]): string {
  const all = conflicts.map(({ port, other, target }) => `${quoted(other.fqn)} has ${port} on ${quoted(target)}`)
  return `${all.toSorted(compareText).join(', ')}; change ports, or add targets`
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
