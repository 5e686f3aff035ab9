import { printableLine } from '@davit/diagnostics'
import type { MappingId } from '@davit/documents'

import type { Change, ContainerNode, Edge, Graph, InstanceNode, Status, TargetNode } from './graph.ts'
import { fillOf, STATUS_MARKS } from './palette.ts'

export interface DotOptions {
  /** Whether containers are drawn around their services. */
  readonly containers: boolean
}

/** Writes a graph in the language of Graphviz, as the original toolset does. */
export function renderDot(graph: Graph, { containers }: DotOptions): string {
  const ids = idsIn(graph)
  const inhabited = graph.targets.filter((target) => target.containers.length > 0)
  const lines = [
    'digraph G {',
    ...inhabited.flatMap((target, index) => clusterOfTarget(target, `cluster_${index}`, { containers, ids })),
    ...graph.edges.map((edge) => edgeLine(edge, ids)),
    '}',
  ]
  return lines.map((line) => `${line}\n`).join('')
}

interface Writing extends DotOptions {
  /** Identifiers of instances, quoted. */
  readonly ids: ReadonlyMap<MappingId, string>
}

function idsIn({ targets }: Graph): ReadonlyMap<MappingId, string> {
  return new Map(
    targets.flatMap(({ address, containers }) =>
      containers.flatMap(({ name, instances }) =>
        instances.map(({ id, key }) => [id, quoted(`${key}:${address}:${name}`)] as const),
      ),
    ),
  )
}

const NODES = 'node [style=filled,fillcolor=white,color=black];'

function clusterOfTarget(target: TargetNode, name: string, writing: Writing): readonly string[] {
  const content = writing.containers
    ? target.containers.flatMap((one, index) => clusterOfContainer(one, `${name}_${index}`, writing))
    : [NODES, ...target.containers.flatMap(({ instances }) => instances.map((one) => nodeLine(one, writing)))]
  return cluster(name, { label: target.address, fill: 'grey' }, content)
}

function clusterOfContainer(container: ContainerNode, name: string, writing: Writing): readonly string[] {
  const nodes = container.instances.map((one) => nodeLine(one, writing))
  return cluster(name, { label: container.name, fill: 'grey40' }, [NODES, ...nodes])
}

interface ClusterStyle {
  readonly label: string
  readonly fill: string
}

function cluster(name: string, { label, fill }: ClusterStyle, content: readonly string[]): readonly string[] {
  return [
    `subgraph ${name} {`,
    'style=filled;',
    `label=${quoted(labelText(label))};`,
    `fillcolor=${fill}`,
    ...content,
    '}',
  ]
}

function nodeLine({ id, name, provides, change, status }: InstanceNode, { ids }: Writing): string {
  const [first = '', ...rest] = [name, ...provides].map((part) => escaped(labelText(part)))
  const provider = rest.length === 0 ? '' : ', peripheries=2'
  const text = rest.length === 0 ? first : `${first} &#8594;\\n${rest.join('\\n')}`
  const found = status === undefined ? '' : `\\n(${escaped(labelText(status.text))})`
  // A change has the colour, since what was found is told in words.
  const fill = change === undefined ? statusFill(status) : changeText(change)
  return `${ids.get(id) ?? ''} [ label = "${text}${found}"${provider}${fill} ];`
}

function statusFill(status: Status | undefined): string {
  return status === undefined ? '' : `, fillcolor="${STATUS_MARKS[status.kind].fill}"`
}

function changeText({ kind, reasons }: Change): string {
  const leaves = kind === 'gone' || kind === 'stopped'
  const style = leaves ? ', style="filled,dashed"' : ''
  return `, fillcolor="${fillOf(kind)}", tooltip=${quoted(labelText(reasons.join(', ')))}${style}`
}

const STYLES = { depends: '', connects: ' [style=dashed]', moves: ' [style=bold,color="#0072b2"]' }

function edgeLine({ from, to, kind }: Edge, ids: ReadonlyMap<MappingId, string>): string {
  return `${ids.get(from) ?? ''} -> ${ids.get(to) ?? ''}${STYLES[kind]}`
}

function quoted(text: string): string {
  return `"${escaped(text)}"`
}

function escaped(text: string): string {
  return printableLine(text)
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
}

/** In labels, Graphviz reads `&` as the beginning of a character. */
function labelText(text: string): string {
  return text.replaceAll('&', '&amp;')
}
