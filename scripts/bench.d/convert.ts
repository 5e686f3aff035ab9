import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Measurement, measure, measureNode } from './measure.ts'
import { writePlanDocuments } from './plan-documents.ts'
import type { SystemSize } from './system-size.ts'
import { sizeText } from './system-size.ts'
import { type Line, timeRow, withAims } from './table.ts'
import { whereOf } from './where.ts'
import { inTurn, roomFor, type Workplace } from './workplace.ts'

export interface ConvertTerms {
  readonly name: string
  readonly size: SystemSize
  readonly runs: number
  /** Aim for both conversions together, as a multiple of the start of Node.js. */
  readonly limit: number
}

/** Measures the conversion of a manifest from XML to JSON and back, which must give the same bytes. */
export async function benchConvert(place: Workplace, terms: ConvertTerms): Promise<readonly Line[]> {
  const { name, size, runs, limit } = terms
  const directory = roomFor(place, name)
  const options = { directory, environment: place.environment }
  const { next: json } = writePlanDocuments(directory, size)
  const tool = join(place.bin, 'davit-convert')
  const file = (ending: string) => join(directory, `manifest.${ending}`)
  await measure([tool, '--to', 'xml', json], { ...options, output: file('xml') })
  const both: Measurement[] = []
  const node: Measurement[] = []
  await inTurn(place, runs, {
    async davit() {
      const there = await measure([tool, '--to', 'json', file('xml')], { ...options, output: file('json') })
      const back = await measure([tool, '--to', 'xml', file('json')], { ...options, output: file('back') })
      both.push({ seconds: there.seconds + back.seconds, work: there.work + back.work, memory: there.memory })
    },
    baseline: async () => void node.push(await measureNode(options)),
  })
  refuseDifference(file('xml'), file('back'))
  refuseDifference(json, file('json'))
  return [
    withAims(timeRow(`a manifest from XML to JSON and back: ${sizeText(size)}`, both, node), { ratio: limit }),
    ...(await whereOf([tool, '--to', 'json', file('xml')], options)).notes,
  ]
}

function refuseDifference(before: string, after: string): void {
  if (!readFileSync(before).equals(readFileSync(after))) throw new Error(`'${after}' is not '${before}'`)
}
