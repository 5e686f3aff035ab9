import type { ChangeKind, EdgeKind, Graph, StatusKind } from './graph.ts'
import { LABEL_FONT } from './labels.ts'
import { element, escaped } from './markup.ts'
import { CHANGE_MARKS, STATUS_MARKS } from './palette.ts'
import type { Size } from './shelves.ts'
import { textWidth } from './text-width.ts'

/** An entry of a legend: what it looks like, on 30 by 16 units, and its meaning. */
export interface LegendEntry {
  readonly sample: string
  readonly word: string
}

const EDGE_WORDS: Readonly<Record<EdgeKind, string>> = {
  depends: 'depends on',
  connects: 'connects to',
  moves: 'moves to',
}

/** Explains what occurs in a graph. */
export function legendOf({ targets, edges }: Graph): readonly LegendEntry[] {
  const instances = targets.flatMap(({ containers }) => containers.flatMap((container) => container.instances))
  const changes = new Set(instances.flatMap(({ change }) => (change === undefined ? [] : [change.kind])))
  const states = new Set(instances.flatMap(({ status }) => (status === undefined ? [] : [status.kind])))
  const kinds = new Set(edges.map(({ kind }) => kind))
  return [
    ...namesOf(CHANGE_MARKS).flatMap((kind) => (changes.has(kind) ? [changeEntry(kind)] : [])),
    ...namesOf(STATUS_MARKS).flatMap((kind) => (states.has(kind) ? [statusEntry(kind)] : [])),
    ...namesOf(EDGE_WORDS).flatMap((kind) => (kinds.has(kind) ? [edgeEntry(kind)] : [])),
    ...(instances.some(({ provides }) => provides.length > 0) ? [PROVIDER] : []),
  ]
}

function namesOf<Name extends string>(table: Readonly<Record<Name, unknown>>): readonly Name[] {
  return Object.keys(table) as Name[]
}

function changeEntry(kind: ChangeKind): LegendEntry {
  const { sign, word } = CHANGE_MARKS[kind]
  const box = `${BOX}${element('path', { class: 'sign', d: sign, transform: 'translate(10 3)' })}`
  return { sample: element('g', { class: `changed ${kind}` }, box), word }
}

function statusEntry(kind: StatusKind): LegendEntry {
  const { sign, word } = STATUS_MARKS[kind]
  const disc = element('circle', { class: `disc ${kind}`, cx: 15, cy: 8, r: 8 })
  return { sample: `${disc}${element('path', { class: 'sign', d: sign, transform: 'translate(10 3)' })}`, word }
}

function edgeEntry(kind: EdgeKind): LegendEntry {
  const tip = kind === 'moves' ? 'tip-moves' : 'tip'
  return {
    sample: element('path', { class: `edge ${kind}`, d: 'M1 8H29', 'marker-end': `url(#${tip})` }),
    word: EDGE_WORDS[kind],
  }
}

const BOX = element('rect', { class: 'box', x: 1, y: 0.5, width: 28, height: 15, rx: 4 })
const PROVIDER: LegendEntry = {
  sample: `${BOX}${element('rect', { class: 'inner', x: 4, y: 3.5, width: 22, height: 9, rx: 2 })}`,
  word: 'provides containers',
}

export interface DrawnLegend {
  /** Size of the picture with its legend. */
  readonly size: Size
  readonly content: string
}

const SAMPLE = 36
const ROW = 24
const MARGIN = 24

/** Draws a legend below a picture, in as many rows as it takes. */
export function legendSvg(entries: readonly LegendEntry[], { width, height }: Size): DrawnLegend {
  if (entries.length === 0) return { size: { width, height }, content: '' }
  let [x, y, widest] = [MARGIN, height, width]
  const drawn = entries.map(({ sample, word }) => {
    const needed = SAMPLE + Math.ceil(textWidth(word, LABEL_FONT)) + MARGIN
    if (x > MARGIN && x + needed > width) [x, y] = [MARGIN, y + ROW]
    const text = element('text', { class: 'label', x: SAMPLE, y: 12 }, escaped(word))
    const entry = element('g', { transform: `translate(${x} ${y})` }, `${sample}${text}`)
    x += needed
    widest = Math.max(widest, x)
    return entry
  })
  return {
    size: { width: widest, height: y + ROW + MARGIN / 2 },
    content: element('g', { class: 'legend' }, `\n${drawn.join('\n')}\n`),
  }
}
