import type { Graph, InstanceNode, TargetNode } from './graph.ts'

/** Puts instances directly on their targets. */
export function withoutContainers(graph: Graph): Graph {
  return { ...graph, targets: graph.targets.map(opened) }
}

function opened(target: TargetNode): TargetNode {
  const instances = target.containers.flatMap(({ name, facts, instances }) =>
    instances.map((instance): InstanceNode => {
      return { ...instance, facts: [...instance.facts, ['container', name], ...facts] }
    }),
  )
  return { ...target, containers: instances.length === 0 ? [] : [{ name: '', facts: [], instances }] }
}
