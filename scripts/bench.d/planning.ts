import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleExecutables } from '../bundle-programs.ts'
import { type FullMeasurement, measure, measureNode, median } from './measure.ts'
import { type PlanTimes, writePlanDocuments } from './plan-documents.ts'
import type { SystemSize } from './system-size.ts'
import { sizeText } from './system-size.ts'
import { type Line, memoryRow, timeRow, withAims } from './table.ts'
import { inTurn, roomFor, type Workplace } from './workplace.ts'

export interface PurePlanningTerms {
  readonly name: string
  readonly size: SystemSize
  readonly runs: number
  /** Aim as a multiple of the start of Node.js. */
  readonly limit: number
}

/** Measures a process that reads a manifest and the records of an earlier one, and plans the transition. */
export async function benchPurePlanning(place: Workplace, terms: PurePlanningTerms): Promise<readonly Line[]> {
  const { name, size, runs, limit } = terms
  const directory = roomFor(place, name)
  const { next, records } = writePlanDocuments(directory, size)
  const entry = join(import.meta.dirname, 'plan-program.ts')
  await bundleExecutables([{ name: 'plan', entry }], directory)
  const output = join(directory, 'times.json')
  const options = { directory, environment: place.environment }
  const [planned, node]: [FullMeasurement[], FullMeasurement[]] = [[], []]
  const times: PlanTimes[] = []
  await inTurn(place, runs, {
    async davit() {
      planned.push(await measure([process.execPath, 'plan.cjs', next, records], { ...options, output }))
      times.push(JSON.parse(readFileSync(output, 'utf8')) as PlanTimes)
    },
    baseline: async () => void node.push(await measureNode(options)),
  })
  const part = (key: keyof PlanTimes) => `${Math.round(median(times.map((one) => one[key])))} ms`
  return [
    withAims(timeRow(`plan: ${sizeText(size)}`, planned, node), { ratio: limit }),
    {
      note:
        `one process, in which are: its start, reading and checking the manifest ${part('manifest')}, ` +
        `reading the records ${part('records')}, the plan of ${times[0]?.activities ?? 0} activities ${part('plan')}`,
    },
    memoryRow('  memory', { davit: planned.map(({ memory }) => memory.biggest) }),
  ]
}
