import type { MappingId } from '@davit/documents'

import { pathBetween } from './edge-path.ts'
import type { ContainerNode, Edge, Graph, InstanceNode, TargetNode } from './graph.ts'
import { LABEL_HEIGHT, type Labelled, labelled, type LabelledInstance, labelInstance, TITLE_HEIGHT } from './labels.ts'
import { type Point, shelve, type Size, tabulate } from './shelves.ts'

export interface Box extends Point, Size {}

/** A graph whose parts have places. Whatever is inside of something else lies within its box. */
export interface Arrangement {
  readonly size: Size
  readonly targets: readonly ArrangedTarget[]
  readonly edges: readonly ArrangedEdge[]
}

export interface ArrangedTarget extends Labelled {
  readonly target: TargetNode
  readonly box: Box
  readonly containers: readonly ArrangedContainer[]
}

export interface ArrangedContainer extends Labelled {
  readonly container: ContainerNode
  readonly box: Box
  readonly instances: readonly ArrangedInstance[]
}

export interface ArrangedInstance extends LabelledInstance {
  readonly instance: InstanceNode
  readonly box: Box
}

export interface ArrangedEdge {
  readonly edge: Edge
  /** Data of an SVG path. */
  readonly path: string
}

/**
 * Places everything in the order of the graph, in time that grows with its size. Since places depend on names and sizes only,
 * people find a service again in another version of the picture.
 */
export function arrange({ targets, edges }: Graph): Arrangement {
  const blocks = targets.map(targetBlock)
  const { places, size } = shelve(blocks, { gap: 36, aspect: 1.5 })
  const arranged = blocks.map((block, index) => block.at(inset(places[index], MARGIN)))
  const boxes = boxesIn(arranged)
  return {
    size: { width: size.width + 2 * MARGIN, height: size.height + 2 * MARGIN },
    targets: arranged,
    edges: edges.flatMap((edge) => {
      const [from, to] = [boxes.get(edge.from), boxes.get(edge.to)]
      return from === undefined || to === undefined ? [] : [{ edge, path: pathBetween(from, to) }]
    }),
  }
}

const MARGIN = 24

/** Something whose size is known before its place is. */
interface Block<Arranged> extends Size {
  at(corner: Point): Arranged
}

const TARGET_PADDING = 12

function targetBlock(target: TargetNode): Block<ArrangedTarget> {
  const label = labelled(target.name, target.address)
  const blocks = target.containers.map(containerBlock)
  const { places, size } = shelve(blocks, { gap: 14, aspect: 1.3 })
  const top = TARGET_PADDING + TITLE_HEIGHT
  const width = Math.max(size.width, label.width) + 2 * TARGET_PADDING
  const height = top + size.height + TARGET_PADDING
  return {
    width,
    height,
    at: ({ x, y }) => ({
      target,
      ...label,
      box: { x, y, width, height },
      containers: blocks.map((block, index) =>
        block.at(inset(places[index], 0, { x: x + TARGET_PADDING, y: y + top })),
      ),
    }),
  }
}

const CONTAINER_PADDING = 10

function containerBlock(container: ContainerNode): Block<ArrangedContainer> {
  const label = labelled(container.name)
  const items = container.instances.map(labelInstance)
  const { places, column, size } = tabulate(items, { gap: 10, aspect: 1.2 })
  const isOpen = container.name === ''
  const padding = isOpen ? 0 : CONTAINER_PADDING
  const top = isOpen ? 0 : CONTAINER_PADDING + LABEL_HEIGHT
  const width = Math.max(size.width, isOpen ? 0 : label.width) + 2 * padding
  const height = top + size.height + padding
  return {
    width,
    height,
    at: ({ x, y }) => ({
      container,
      ...label,
      box: { x, y, width, height },
      instances: items.map((item, index) => ({
        ...item,
        box: { ...inset(places[index], 0, { x: x + padding, y: y + top }), width: column, height: item.height },
      })),
    }),
  }
}

const ORIGIN: Point = { x: 0, y: 0 }

function inset(place: Point = ORIGIN, margin: number, corner: Point = ORIGIN): Point {
  return { x: rounded(corner.x + place.x + margin), y: rounded(corner.y + place.y + margin) }
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10
}

function boxesIn(targets: readonly ArrangedTarget[]): ReadonlyMap<MappingId, Box> {
  const instances = targets.flatMap(({ containers }) => containers.flatMap((container) => container.instances))
  return new Map(instances.map(({ instance, box }) => [instance.id, box]))
}
