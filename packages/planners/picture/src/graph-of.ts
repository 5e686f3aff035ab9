import {
  type ContainerName,
  type Manifest,
  type MappingId,
  mappingIdOf,
  type Target,
  type TargetName,
} from '@davit/documents'
import { compareText, grouped, inOrderOfNames } from '@davit/languages'

import { addressesOf } from './addresses-of.ts'
import type { Changes } from './changes.ts'
import { propertyFacts, serviceFacts, targetFacts } from './facts.ts'
import type { Change, ContainerNode, Edge, Fact, Graph, InstanceNode, Status, TargetNode } from './graph.ts'
import { byIdentity, type Placed, placedIn } from './placed.ts'

export interface GraphOptions {
  /** What the picture is of. */
  readonly title: string
  /** What changes on the way to the manifest; the picture then also shows what goes. */
  readonly changes?: Changes | undefined
  /** What was found out about instances. */
  readonly status?: ReadonlyMap<MappingId, Status>
}

/** Makes the graph of a manifest, in order of names whatever the order of its lists. */
export function graphOf(manifest: Manifest, { title, changes, status = new Map() }: GraphOptions): Graph {
  const { from, leaving, moves, byInstance } = changes ?? UNCHANGED
  const manifests = from === undefined ? [manifest] : [manifest, from]
  const infrastructure = new Map(manifests.toReversed().flatMap((one) => [...one.infrastructure]))
  const placed = byIdentity([...placedIn(manifest), ...leaving])
  const targets = targetsOf(infrastructure, [...placed.values()], { manifests, changes: byInstance, status })
  return { title, targets, edges: [...edgesOf(placed), ...moves] }
}

const UNCHANGED = { from: undefined, leaving: [], moves: [], byInstance: new Map<MappingId, Change>() }

interface Scene {
  readonly manifests: readonly Manifest[]
  readonly changes: Changes['byInstance']
  readonly status: ReadonlyMap<MappingId, Status>
}

function targetsOf(
  infrastructure: ReadonlyMap<TargetName, Target>,
  placed: readonly Placed[],
  scene: Scene,
): readonly TargetNode[] {
  const addresses = addressesOf(infrastructure)
  const here = grouped(placed, ({ mapping }) => mapping.target)
  return inOrderOfNames(infrastructure, ([name]) => name).map(([name, target]) => {
    const containers = grouped(here.get(name) ?? [], ({ mapping }) => mapping.container)
    return {
      name,
      address: addresses.get(name) ?? name,
      facts: targetFacts(target),
      containers: inOrderOfNames(containers, ([container]) => container).map(([container, inside]) =>
        containerOf(container, { inside, target, scene }),
      ),
    }
  })
}

interface Inside {
  readonly inside: readonly Placed[]
  readonly target: Target
  readonly scene: Scene
}

function containerOf(name: ContainerName, { inside, target, scene }: Inside): ContainerNode {
  const [provider] = inside.flatMap(({ mapping }) => mapping.containerProvidedByService ?? [])
  const service = scene.manifests.map(({ services }) => provider && services.get(provider)).find((one) => one)
  const properties = service ? service.providesContainers.get(name) : target.containers.get(name)
  const facts: readonly Fact[] = [
    ...(service ? [['provided by', service.name] as const] : []),
    ...propertyFacts(properties ?? new Map()),
  ]
  const instances = inside.map((placed) => instanceOf(placed, scene))
  return { name, facts, instances: inOrderOfNames(instances, (instance) => instance.name) }
}

function instanceOf({ mapping, service }: Placed, { changes, status }: Scene): InstanceNode {
  const id = mappingIdOf(mapping)
  const [change, found] = [changes.get(id), status.get(id)]
  return {
    id,
    key: mapping.service,
    name: service.name,
    provides: [...service.providesContainers.keys()].sort(compareText),
    facts: serviceFacts(service),
    ...(change === undefined ? {} : { change }),
    ...(found === undefined ? {} : { status: found }),
  }
}

/** Dependencies on instances that the manifest does not have are left out; nothing can be activated with them. */
function edgesOf(placed: ReadonlyMap<MappingId, Placed>): readonly Edge[] {
  const edgesTo = (dependencies: 'dependsOn' | 'connectsTo', kind: Edge['kind']) =>
    [...placed].flatMap(([from, { service }]) =>
      [...new Set(service[dependencies].map(mappingIdOf))]
        .sort(compareText)
        .flatMap((to): readonly Edge[] => (placed.has(to) ? [{ from, to, kind }] : [])),
    )
  return [...edgesTo('dependsOn', 'depends'), ...edgesTo('connectsTo', 'connects')]
}
