import type { StorePath, System, TargetName } from '@davit/documents'
import type { UnbuiltDerivation } from '@davit/store'

/** A target as something that builds. */
export interface Builder {
  /** Absent if unknown; the target is then assumed to fit. */
  readonly system?: System
  readonly cores: number
}

export interface PlacementTerms {
  /** Derivations, each after all that it waits for. */
  readonly order: readonly UnbuiltDerivation[]
  /** Derivation → targets that need its outputs. */
  readonly wanted: ReadonlyMap<StorePath, readonly TargetName[]>
  readonly builders: ReadonlyMap<TargetName, Builder>
  readonly storeKind: 'native' | 'nix'
}

export interface PlacedBuilds {
  /** Where each derivation is built, except for those that no target can build. */
  readonly places: ReadonlyMap<StorePath, TargetName>
  /** Derivations that are built along the way, by the target that builds what needs them. */
  readonly included: ReadonlySet<StorePath>
  readonly misfits: readonly Misfit[]
}

/** A derivation that no target can build. */
export interface Misfit {
  readonly build: UnbuiltDerivation
  readonly neededOn: readonly TargetName[]
}

/** Assigns each derivation to one target: of those that need it, the one with the least work per core. */
export function placeBuilds({ order, wanted, builders, storeKind }: PlacementTerms): PlacedBuilds {
  const places = new Map<StorePath, TargetName>()
  const included = new Set<StorePath>()
  const misfits: Misfit[] = []
  const load = new Map<TargetName, number>()
  const fitting = (names: Iterable<TargetName>, { system }: UnbuiltDerivation) =>
    [...names].filter((name) => fits(system, builders.get(name), storeKind))
  const place = (build: UnbuiltDerivation, neededOn: readonly TargetName[]) => {
    const near = fitting(neededOn, build)
    const candidates = near.length > 0 ? near : fitting(builders.keys(), build)
    const target = leastLoaded(candidates, builders, load)
    if (target === undefined) return void misfits.push({ build, neededOn })
    places.set(build.derivation, target)
    load.set(target, (load.get(target) ?? 0) + 1)
    const isAlongTheWay = storeKind === 'nix' && !wanted.has(build.derivation) && neededOn.length === 1
    if (isAlongTheWay && near.length === 1) included.add(build.derivation)
  }

  const requested = order.map((build) => ({ build, neededOn: wanted.get(build.derivation) ?? [] }))
  for (const { build, neededOn } of leastChoiceFirst(requested.filter((request) => request.neededOn.length > 0))) {
    place(build, neededOn)
  }
  // Dependants are placed first, so that an input is built where it is used.
  const neededOn = neededBy(order, wanted)
  for (const build of order.toReversed()) {
    const { derivation, waitsFor } = build
    if (!wanted.has(derivation)) place(build, inOrderOf(builders, neededOn(derivation)))
    const users = places.has(derivation) ? [places.get(derivation) as TargetName] : neededOn(derivation)
    for (const input of waitsFor) for (const user of users) neededOn(input).add(user)
  }
  return { places, included, misfits: misfits.toSorted((left, right) => (left.build.name < right.build.name ? -1 : 1)) }
}

/** System of derivations that Nix itself carries out, on any platform. */
const ANY_SYSTEM = 'builtin'
/** Platforms whose programs Nix also runs on another platform, without configuration. */
const ALSO_RUNS: ReadonlyMap<string, string> = new Map([['x86_64-linux', 'i686-linux']])

function fits(system: System, builder: Builder | undefined, storeKind: PlacementTerms['storeKind']): boolean {
  if (builder === undefined) return false
  if (builder.system === undefined || builder.system === system) return true
  return storeKind === 'nix' && (system === ANY_SYSTEM || ALSO_RUNS.get(builder.system) === system)
}

function leastLoaded(
  candidates: readonly TargetName[],
  builders: PlacementTerms['builders'],
  load: ReadonlyMap<TargetName, number>,
): TargetName | undefined {
  const loadWithOneMore = (name: TargetName) => ((load.get(name) ?? 0) + 1) / (builders.get(name)?.cores ?? 1)
  let best: TargetName | undefined
  for (const name of candidates) {
    if (best === undefined || loadWithOneMore(name) < loadWithOneMore(best)) best = name
  }
  return best
}

/** Sorts derivations that only one target needs before those that leave a choice. */
function leastChoiceFirst<Request extends { readonly neededOn: readonly TargetName[] }>(requests: readonly Request[]) {
  return requests.toSorted((left, right) => left.neededOn.length - right.neededOn.length)
}

function neededBy(
  order: readonly UnbuiltDerivation[],
  wanted: PlacementTerms['wanted'],
): (derivation: StorePath) => Set<TargetName> {
  const needed = new Map(order.map(({ derivation }) => [derivation, new Set(wanted.get(derivation))]))
  return (derivation) => needed.get(derivation) ?? new Set()
}

function inOrderOf(builders: PlacementTerms['builders'], names: ReadonlySet<TargetName>): readonly TargetName[] {
  return [...builders.keys()].filter((name) => names.has(name))
}
