import { DavitError, type Diagnostic } from '@davit/diagnostics'
import type { StorePath, TargetName } from '@davit/documents'
import { closureOf, dependenciesFirst } from '@davit/service-graph'
import type { UnbuiltDerivation } from '@davit/store'
import { type Builder, type Misfit, placeBuilds, type PlacementTerms } from './place-builds.ts'

export type { Builder }

export interface DelegationTerms extends Omit<PlacementTerms, 'order'> {
  readonly unbuilt: ReadonlyMap<StorePath, UnbuiltDerivation>
}

export interface DelegationPlan {
  /** Builds by derivation, each after all that it needs. */
  readonly builds: ReadonlyMap<StorePath, DelegatedBuild>
}

/** A derivation that is assigned to a target. */
export interface DelegatedBuild {
  readonly derivation: StorePath
  readonly name: string
  readonly target: TargetName
  readonly outputs: readonly StorePath[]
  /** Unbuilt derivations that the target builds along the way. */
  readonly includes: readonly StorePath[]
  /** Derivations of other builds whose outputs must be on the target first. */
  readonly needs: readonly StorePath[]
  /** Valid paths that must be on the target, with their closures. */
  readonly requires: readonly StorePath[]
}

/** Assigns each unbuilt derivation to one target. Throws if no target has the system of one of them. */
export function planDelegation({ unbuilt, ...terms }: DelegationTerms): DelegationPlan {
  const order = buildOrder(unbuilt)
  const { places, included, misfits } = placeBuilds({ order, ...terms })
  if (misfits.length > 0) throw noBuilder(misfits, terms.builders)
  const builds = order
    .filter(({ derivation }) => !included.has(derivation))
    .map((build): [StorePath, DelegatedBuild] => {
      const { derivation, name, outputs } = build
      const target = places.get(derivation) as TargetName
      return [derivation, { derivation, name, target, outputs, ...gather(build, unbuilt, included) }]
    })
  return { builds: new Map(builds) }
}

/** Sorts derivations by their dependencies, independently of the order in which the store lists them. */
function buildOrder(unbuilt: DelegationTerms['unbuilt']): readonly UnbuiltDerivation[] {
  const order = dependenciesFirst([...unbuilt.keys()].toSorted(), (path) => unbuilt.get(path)?.waitsFor ?? [])
  if (order.kind === 'cyclic') throw new Error(`derivations need each other: ${order.cycles.join('; ')}`)
  return order.nodes.flatMap((path) => unbuilt.get(path) ?? [])
}

/** Collects how a build relates to others, including everything that is built along the way. */
function gather(
  build: UnbuiltDerivation,
  unbuilt: DelegationTerms['unbuilt'],
  included: ReadonlySet<StorePath>,
): Pick<DelegatedBuild, 'includes' | 'needs' | 'requires'> {
  const followed = (path: StorePath) => (included.has(path) ? (unbuilt.get(path)?.waitsFor ?? []) : [])
  const reached = [...closureOf(build.waitsFor, followed)]
  const includes = reached.filter((path) => included.has(path))
  const requires = [build, ...includes.flatMap((path) => unbuilt.get(path) ?? [])].flatMap((one) => one.requires)
  return { includes, needs: reached.filter((path) => !included.has(path)), requires: [...new Set(requires)] }
}

function noBuilder(misfits: readonly Misfit[], builders: DelegationTerms['builders']): DavitError {
  const systems = [...new Set(misfits.map(({ build }) => build.system))].toSorted()
  return new DavitError('wrong-system', `no target can build for ${systems.join(', ')}`, {
    hint: 'add a target with that platform to the infrastructure model, or correct the systems in it',
    diagnostics: misfits.map((misfit) => misfitDiagnostic(misfit, builders)),
  })
}

function misfitDiagnostic({ build, neededOn }: Misfit, builders: DelegationTerms['builders']): Diagnostic {
  const users = neededOn.map((name) => `'${name}' (${builders.get(name)?.system ?? 'platform unknown'})`)
  const message = `'${build.name}' must be built on ${build.system}, but no target has that platform; it is needed on ${users.join(', ')}`
  return { severity: 'error', message }
}
