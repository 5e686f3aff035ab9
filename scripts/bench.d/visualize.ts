import { join } from 'node:path'
import { type Measurement, measure, measureNode } from './measure.ts'
import { writePlanDocuments } from './plan-documents.ts'
import type { SystemSize } from './system-size.ts'
import { sizeText } from './system-size.ts'
import { type Line, timeRow, withAims } from './table.ts'
import { inTurn, roomFor, type Workplace } from './workplace.ts'

const FORMATS = ['dot', 'svg', 'html'] as const
type Format = (typeof FORMATS)[number]

export interface VisualizeTerms {
  readonly name: string
  readonly size: SystemSize
  readonly runs: number
  /** Aims for text and page, as multiples of the start of Node.js, and for the image, as one of what Graphviz takes. */
  readonly limits: Readonly<Record<Format, number>>
}

/** Measures drawing a manifest in each format; Graphviz draws the image that ours is compared with from our text. */
export async function benchVisualize(place: Workplace, terms: VisualizeTerms): Promise<readonly Line[]> {
  const { name, size, runs, limits } = terms
  const directory = roomFor(place, name)
  const options = { directory, environment: place.environment }
  const { next: manifest } = writePlanDocuments(directory, size)
  const tool = join(place.bin, 'davit-visualize')
  const file = (ending: string) => join(directory, `picture.${ending}`)
  const times = new Map(FORMATS.map((format): [Format, Measurement[]] => [format, []]))
  const node: Measurement[] = []
  await inTurn(place, runs, {
    async davit() {
      for (const [format, measured] of times) {
        measured.push(await measure([tool, '--format', format, manifest], { ...options, output: file(format) }))
      }
    },
    baseline: async () => void node.push(await measureNode(options)),
  })
  // It takes many times as long as the others.
  const graphviz = await measure(['dot', '-Tsvg', file('dot')], { ...options, output: file('graphviz') })
  const row = (format: Format, baseline: readonly Measurement[]) => {
    const what = `${sizeText(size)}, as ${format}`
    return withAims(timeRow(what, times.get(format) ?? [], baseline), { ratio: limits[format] })
  }
  return [row('dot', node), row('svg', [graphviz]), row('html', node)]
}
