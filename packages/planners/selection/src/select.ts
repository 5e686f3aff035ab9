import type { Manifest, ServiceName, Target, TargetName } from '@davit/documents'
import { compareText } from '@davit/languages'
import { tagsIn } from '@davit/placement'
import { closureOf } from '@davit/service-graph'

import { matchesGlob } from './glob.ts'
import { dependantsIn, type Instance, type InstanceId, instanceIdOf, instancesOf } from './instances.ts'
import type { Term } from './terms.ts'

/** What `--on` selects of some manifests. */
export interface Selection {
  /** Targets that are selected as a whole, with everything on them. */
  readonly whole: ReadonlySet<TargetName>
  /** Further instances, on targets that are not selected themselves. */
  readonly instances: ReadonlyMap<InstanceId, Instance>
}

/** Returns what terms select of manifests, the first of which says which tags a target has. */
export function selectIn(manifests: readonly Manifest[], terms: readonly Term[]): Selection {
  const found = findingIn(manifests)
  const [excluded, included] = [terms.filter(({ isExcluded }) => isExcluded), terms.filter((one) => !one.isExcluded)]
  const out = union(excluded.map(found))
  const chosen = included.length === 0 ? everythingIn(manifests) : union(included.map(found))
  const isOut = (one: Instance) => out.targets.has(one.target) || out.instances.has(instanceIdOf(one))
  const all = instancesOf(manifests)
  const partial = new Set([...all.values()].filter(isOut).map(({ target }) => target))
  const whole = new Set(
    [...chosen.targets].filter((name) => !out.targets.has(name) && !partial.has(name)).toSorted(compareText),
  )
  const instances = [...all].filter(([id, one]) => {
    return !whole.has(one.target) && !isOut(one) && (chosen.targets.has(one.target) || chosen.instances.has(id))
  })
  return { whole, instances: new Map(instances) }
}

/** Returns the terms that match nothing. */
export function unmatchedIn(manifests: readonly Manifest[], terms: readonly Term[]): readonly Term[] {
  const found = findingIn(manifests)
  return terms.filter((term) => {
    const { targets, instances } = found(term)
    return targets.size + instances.size === 0
  })
}

/** Whether an instance is selected. On a target that is selected as a whole, even what no manifest knows is. */
export function isSelected({ whole, instances }: Selection, one: Instance): boolean {
  return whole.has(one.target) || instances.has(instanceIdOf(one))
}

export function isEmptySelection({ whole, instances }: Selection): boolean {
  return whole.size + instances.size === 0
}

/** Targets on which something is selected, in order of names. */
export function selectedTargets({ whole, instances }: Selection): ReadonlySet<TargetName> {
  const names = [...whole, ...[...instances.values()].map(({ target }) => target)]
  return new Set(names.toSorted(compareText))
}

/** What is selected as terms without patterns: they select the same of every manifest that has it. */
export function termsOf({ whole, instances }: Selection): readonly string[] {
  return [...whole, ...[...instances.values()].map(({ service, target }) => `service:${service}@${target}`)]
}

const SERVICE = 'service:'

/** Reads what `termsOf` has written. */
export function selectionOfTerms(terms: readonly string[]): Selection {
  const instances = terms.flatMap((term) => {
    const at = term.lastIndexOf('@')
    if (!term.startsWith(SERVICE) || at < 0) return []
    return [{ service: term.slice(SERVICE.length, at), target: term.slice(at + 1) } as Instance]
  })
  const whole = terms.filter((term) => !term.includes(':')).map((name) => name as TargetName)
  return { whole: new Set(whole), instances: new Map(instances.map((one) => [instanceIdOf(one), one])) }
}

interface Found {
  readonly targets: ReadonlySet<TargetName>
  readonly instances: ReadonlySet<InstanceId>
}

function union(all: readonly Found[]): Found {
  return {
    targets: new Set(all.flatMap(({ targets }) => [...targets])),
    instances: new Set(all.flatMap(({ instances }) => [...instances])),
  }
}

function everythingIn(manifests: readonly Manifest[]): Found {
  return { targets: new Set(targetsIn(manifests).keys()), instances: new Set() }
}

/** Each target as the first manifest describes it that has it. */
function targetsIn(manifests: readonly Manifest[]): ReadonlyMap<TargetName, Target> {
  return new Map(manifests.toReversed().flatMap(({ infrastructure }) => [...infrastructure]))
}

/** Prepares finding what a term matches, exclusion or not. */
function findingIn(manifests: readonly Manifest[]): (term: Term) => Found {
  const targets = targetsIn(manifests)
  const instances = instancesOf(manifests)
  const dependants = dependantsIn(manifests)
  const none = { targets: new Set<TargetName>(), instances: new Set<InstanceId>() }
  return ({ what }) => {
    if (what.kind !== 'service') {
      const named = [...targets].filter(([name, target]) =>
        (what.kind === 'tag' ? tagsIn(target.properties.get('tags')) : [name]).some((one) =>
          matchesGlob(one, what.pattern),
        ),
      )
      return { ...none, targets: new Set(named.map(([name]) => name)) }
    }
    const isMeant = ({ service, target }: { readonly service: ServiceName; readonly target: TargetName }) =>
      matchesGlob(service, what.pattern) && matchesGlob(target, what.on)
    const meant = [...instances].filter(([, one]) => isMeant(one)).map(([id]) => id)
    return {
      ...none,
      instances: what.withDependants ? closureOf(meant, (id) => dependants.get(id) ?? []) : new Set(meant),
    }
  }
}
