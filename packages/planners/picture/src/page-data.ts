import { printable, printableLine } from '@davit/diagnostics'

import type { Graph, InstanceNode } from './graph.ts'
import { CHANGE_MARKS } from './palette.ts'

/** Writes what the page tells about a graph, in the order in which it is drawn, as text that may stand in HTML. */
export function pageData({ targets, edges }: Graph): string {
  const containers = targets.flatMap((target, index) => target.containers.map((one) => ({ ...one, target: index })))
  const instances = containers.flatMap((one, container) => one.instances.map((instance) => ({ instance, container })))
  const positions = new Map(instances.map(({ instance }, index) => [instance.id, index]))
  const data = {
    targets: targets.map(({ name, address, facts }) => ({ name, address, facts })),
    containers: containers.map(({ name, target, facts }) => ({ name, target, facts })),
    instances: instances.map(({ instance, container }) => {
      const { name, provides, facts } = instance
      return { name, container, provides, facts, told: toldOf(instance) }
    }),
    edges: edges.map(({ from, to, kind }) => [positions.get(from), positions.get(to), kind]),
  }
  return textOf(data).replaceAll('<', String.raw`\u003c`)
}

/** Writes data with visible escapes for what would disturb a page. */
function textOf(data: object): string {
  const text = JSON.stringify(data)
  // Control characters are escaped by then.
  if (!text.includes('\\') && printable(text) === text) return text
  return JSON.stringify(data, (_, value: unknown) => (typeof value === 'string' ? printableLine(value) : value))
}

function toldOf({ change, status }: InstanceNode): readonly string[] {
  return [
    ...(change === undefined ? [] : [`${CHANGE_MARKS[change.kind].word}: ${change.reasons.join('; ')}`]),
    ...(status === undefined ? [] : [status.text]),
  ]
}
