import { join } from 'node:path'
import { type Measurement, measure, measureNode } from './measure.ts'
import { writePlanDocuments } from './plan-documents.ts'
import type { SystemSize } from './system-size.ts'
import { sizeText } from './system-size.ts'
import { type Line, timeRow, withAims } from './table.ts'
import { inTurn, roomFor, type Workplace } from './workplace.ts'

export interface VisualizeTerms {
  readonly name: string
  readonly size: SystemSize
  readonly runs: number
  /** Aims for text and page, as multiples of the start of Node.js, and for the image, as one of what Graphviz takes. */
  readonly limits: { readonly dot: number; readonly svg: number; readonly html: number }
}

/** Measures drawing a manifest in each format; Graphviz draws the image that ours is compared with from our text. */
export async function benchVisualize(place: Workplace, terms: VisualizeTerms): Promise<readonly Line[]> {
  const { name, size, runs, limits } = terms
  const directory = roomFor(place, name)
  const options = { directory, environment: place.environment }
  const [manifest] = writePlanDocuments(directory, size)
  const tool = join(place.bin, 'davit-visualize')
  const file = (ending: string) => join(directory, `picture.${ending}`)
  const times = { dot: [], svg: [], html: [], node: [], graphviz: [] } satisfies Record<string, Measurement[]> as Record<
    'dot' | 'svg' | 'html' | 'node' | 'graphviz',
    Measurement[]
  >
  const draw = (format: 'dot' | 'svg' | 'html') => async () =>
    void times[format].push(await measure([tool, '--format', format, manifest], { ...options, output: file(format) }))
  await inTurn(place, runs, {
    dot: draw('dot'),
    svg: draw('svg'),
    html: draw('html'),
    baseline: async () => void times.node.push(await measureNode(options)),
  })
  // It takes many times as long as the others.
  times.graphviz.push(await measure(['dot', '-Tsvg', file('dot')], { ...options, output: file('graphviz') }))
  const row = (format: 'dot' | 'svg' | 'html') => `a picture of a manifest in ${format}: ${sizeText(size)}`
  return [
    withAims(timeRow(row('dot'), times.dot, times.node), { ratio: limits.dot }),
    withAims(timeRow(`${row('svg')} (dot -Tsvg)`, times.svg, times.graphviz), { ratio: limits.svg }),
    withAims(timeRow(row('html'), times.html, times.node), { ratio: limits.html }),
  ]
}
