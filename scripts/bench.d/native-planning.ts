import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Measurement, measureNode, textOf, together } from './measure.ts'
import { sizeText, type SystemSize, systemOf } from './system-size.ts'
import { type Line, memoryRow, type Row, timeRow, withAims, workRow } from './table.ts'
import { counted, type TraceFiles, traceFilesIn, whereIn } from './where.ts'
import { inTurn, plan, type Planned, roomFor, type Workplace } from './workplace.ts'
import { writeYamlModels } from './yaml-models.ts'

export interface NativePlanningTerms {
  readonly name: string
  readonly size: SystemSize
  readonly runs: number
  /** Aims: for both tools together as a multiple of the start of Node.js, and for their memory in bytes. */
  readonly limits: { readonly both: number; readonly memory?: number }
}

/** Measures the way from models to a manifest with the native store. Only packages are built in advance. */
export async function benchNativePlanning(place: Workplace, terms: NativePlanningTerms): Promise<readonly Line[]> {
  const room = roomFor(place, terms.name)
  const system = systemOf(terms.size)
  const store = join(room, 'store')
  const prepared = join(room, 'prepared')
  const planWith = (models: readonly string[], run: number, files?: TraceFiles) => {
    const state = join(room, `state-${run}`)
    const environment = {
      ...place.environment,
      DAVIT_STORE_DIR: store,
      DAVIT_STATE_DIR: state,
      DAVIT_TRACE: files?.trace,
    }
    const within = (command: readonly string[]) => (files === undefined ? command : counted(files, command))
    return plan(place, { models, directory: room, environment, within })
  }
  place.say('builds the packages')
  // With another container, the packages are the same, but the profiles are different.
  await planWith(writeYamlModels(join(room, 'other'), system, 'other'), 0)
  const options = { environment: place.environment, directory: room }
  await textOf(['mv', store, prepared], options)
  const models = writeYamlModels(join(room, 'models'), system)
  const inCopy = async (run: number, files?: TraceFiles) => {
    await textOf(['sh', '-c', 'cp -a "$1" "$2" && sync', 'sh', prepared, store], options)
    const planned = await planWith(models, run, files)
    rmSync(store, { recursive: true })
    return planned
  }
  const runs: Planned[] = []
  const node: Measurement[] = []
  await inTurn(place, terms.runs, {
    davit: async (run) => void runs.push(await inCopy(run)),
    baseline: async () => void node.push(await measureNode(options)),
  })
  const files = traceFilesIn(room)
  await inCopy(terms.runs + 1, files)
  return [...rowsOf(terms, runs, node), ...whereIn(files).notes]
}

function rowsOf(
  { size, limits }: NativePlanningTerms,
  runs: readonly Planned[],
  node: readonly Measurement[],
): readonly Row[] {
  const both = runs.map(({ normalize, manifest }) => together([normalize, manifest]))
  return [
    withAims(timeRow(`native: ${sizeText(size)}`, both, node), { ratio: limits.both }),
    timeRow(
      '  normalize',
      runs.map(({ normalize }) => normalize),
    ),
    timeRow(
      '  manifest',
      runs.map(({ manifest }) => manifest),
    ),
    workRow(both),
    memoryRow('  memory, process trees', { davit: both.map(({ memory }) => memory.tree) }, limits.memory),
    memoryRow('  memory, biggest process', { davit: both.map(({ memory }) => memory.biggest) }),
  ]
}
