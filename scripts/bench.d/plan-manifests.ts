import { join } from 'node:path'
import { type FullMeasurement, measure, measureNode } from './measure.ts'
import { writePlanDocuments } from './plan-documents.ts'
import type { SystemSize } from './system-size.ts'
import { sizeText } from './system-size.ts'
import { type Line, memoryRow, timeRow, withAims } from './table.ts'
import { inTurn, roomFor, type Workplace } from './workplace.ts'

export interface ManifestsTerms {
  readonly name: string
  readonly size: SystemSize
  readonly runs: number
  /** Aim as a multiple of the start of Node.js. */
  readonly limit: number
}

/** Measures davit-plan from one manifest to another, and its text. */
export async function benchManifests(place: Workplace, terms: ManifestsTerms): Promise<readonly Line[]> {
  const { name, size, runs, limit } = terms
  const directory = roomFor(place, name)
  const { next, before } = writePlanDocuments(directory, size)
  const options = { directory, environment: { ...place.environment, DAVIT_STATE_DIR: join(directory, 'state') } }
  const command = [join(place.bin, 'davit-plan'), '--from', before, next]
  const [planned, node]: [FullMeasurement[], FullMeasurement[]] = [[], []]
  await inTurn(place, runs, {
    davit: async () =>
      void planned.push(await measure(command, { ...options, output: join(directory, 'plan'), status: 2 })),
    baseline: async () => void node.push(await measureNode(options)),
  })
  return [
    withAims(timeRow(`plan from a manifest: ${sizeText(size)}`, planned, node), { ratio: limit }),
    memoryRow('  memory', { davit: planned.map(({ memory }) => memory.biggest) }),
  ]
}
