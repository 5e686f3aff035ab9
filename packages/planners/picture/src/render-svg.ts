import { type ArrangedContainer, type ArrangedEdge, type ArrangedTarget, arrange, type Box } from './arrange.ts'
import type { EdgeKind, Graph } from './graph.ts'
import { LABEL_HEIGHT } from './labels.ts'
import { legendOf, legendSvg } from './legend.ts'
import { element, escaped } from './markup.ts'
import { instanceSvg } from './render-instance.ts'
import type { Size } from './shelves.ts'
import { pictureStyle } from './style.ts'

/** Draws a graph as an image. */
export function renderSvg(graph: Graph): string {
  const { size, content } = drawnGraph(graph)
  const legend = legendSvg(legendOf(graph), size)
  const { width, height } = legend.size
  const head = { xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${width} ${height}`, width, height, role: 'img' }
  const paper = element('rect', { class: 'paper', width, height })
  const inside = `<title>${escaped(graph.title)}</title>\n<style>\n${pictureStyle()}</style>\n${TIPS}\n${paper}\n${content}${legend.content}`
  return `${element('svg', head, `\n${inside}\n`)}\n`
}

export interface Drawn {
  readonly size: Size
  readonly content: string
}

/** Draws what a graph contains, with lines behind services and labels so that they hide no text. */
export function drawnGraph(graph: Graph): Drawn {
  const { size, targets, edges } = arrange(graph)
  const layers = [
    layer('areas', targets.map(areasOf)),
    layer(edges.length > MANY ? 'edges many' : 'edges', edges.map(edgeSvg)),
    layer('labels', targets.map(labelsOf)),
    layer(
      'instances',
      targets.flatMap(({ target, containers }) =>
        containers.flatMap(({ container, instances }) =>
          instances.map((one) => instanceSvg(one, { target: target.name, container: container.name })),
        ),
      ),
    ),
  ]
  return { size, content: layers.join('') }
}

/** More lines than this are drawn faintly. */
const MANY = 300

function layer(name: string, content: readonly string[]): string {
  return `${element('g', { class: name }, `\n${content.map((one) => `${one}\n`).join('')}`)}\n`
}

function areasOf({ box, containers }: ArrangedTarget): string {
  const inside = containers.map(({ container, box: inner }) =>
    container.name === '' ? '' : element('g', { class: 'container' }, area(inner, 5)),
  )
  return element('g', { class: 'target' }, `${area(box, 8)}${inside.join('')}`)
}

function area(box: Box, rx: number): string {
  return element('rect', { class: 'area', ...box, rx })
}

function labelsOf({ box, containers, ...label }: ArrangedTarget): string {
  return [
    labelSvg('title', label, { x: box.x + 12, y: box.y + 8, height: 20 }),
    ...containers.map(containerLabel),
  ].join('')
}

function containerLabel({ container, box, ...label }: ArrangedContainer): string {
  if (container.name === '') return ''
  return labelSvg('label', label, { x: box.x + 10, y: box.y + 6, height: LABEL_HEIGHT })
}

type LabelPlace = Pick<Box, 'x' | 'y' | 'height'>

function labelSvg(
  name: 'title' | 'label',
  { label, note, noteAt, width }: Pick<ArrangedTarget, 'label' | 'note' | 'noteAt' | 'width'>,
  { x, y, height }: LabelPlace,
): string {
  const back = element('rect', { class: `back ${name}`, x: x - 3, y, width: width + 3, height, rx: 4 })
  const text = element('text', { class: name, x, y: y + height - 6 }, escaped(label))
  const light =
    note === undefined ? '' : element('text', { class: 'note', x: x + noteAt, y: y + height - 6 }, escaped(note))
  return `${back}${text}${light}`
}

function edgeSvg({ edge, path }: ArrangedEdge): string {
  return `<path class="edge ${edge.kind}" d="${path}" marker-end="url(#${TIP_OF[edge.kind]})"/>`
}

const TIP_OF: Readonly<Record<EdgeKind, string>> = { depends: 'tip', connects: 'tip', moves: 'tip-moves' }

/** Tips of lines. */
export const TIPS = element(
  'defs',
  {},
  ['tip', 'tip-moves']
    .map((id) => {
      const shape = element('path', { class: id === 'tip' ? 'tip' : 'tip moves', d: 'M0 0L8 4L0 8z' })
      const size = { markerWidth: 8, markerHeight: 8, refX: 7.5, refY: 4, markerUnits: 'userSpaceOnUse' }
      return element('marker', { id, ...size, orient: 'auto' }, shape)
    })
    .join(''),
)
