import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { textOf, together } from './measure.ts'
import { sizeText, type SystemSize, systemOf } from './system-size.ts'
import { memoryRow, type Row, timeRow, workRow } from './table.ts'
import { plan, type Planned, roomFor, type Workplace } from './workplace.ts'
import { writeYamlModels } from './yaml-models.ts'

export interface NativePlanningTerms {
  readonly name: string
  readonly size: SystemSize
  readonly runs: number
}

/** Measures the way from models to a manifest with the native store, without a baseline. Only packages are built in advance. */
export async function benchNativePlanning(place: Workplace, terms: NativePlanningTerms): Promise<readonly Row[]> {
  const room = roomFor(place, terms.name)
  const system = systemOf(terms.size)
  const store = join(room, 'store')
  const prepared = join(room, 'prepared')
  const planWith = (models: readonly string[], run: number) => {
    const state = join(room, `state-${run}`)
    const environment = { ...place.environment, DAVIT_STORE_DIR: store, DAVIT_STATE_DIR: state }
    return plan(place, { models, directory: room, environment, within: (command) => command })
  }
  place.say('builds the packages')
  // With another container, the packages are the same, but the profiles are different.
  await planWith(writeYamlModels(join(room, 'other'), system, 'other'), 0)
  const options = { environment: place.environment, directory: room }
  await textOf(['mv', store, prepared], options)
  const models = writeYamlModels(join(room, 'models'), system)
  const runs: Planned[] = []
  for (let run = 1; run <= terms.runs; run += 1) {
    place.say(`run ${run} of ${terms.runs}`)
    await textOf(['sh', '-c', 'cp -a "$1" "$2" && sync', 'sh', prepared, store], options)
    runs.push(await planWith(models, run))
    rmSync(store, { recursive: true })
  }
  return rowsOf(terms, runs)
}

function rowsOf({ size }: NativePlanningTerms, runs: readonly Planned[]): readonly Row[] {
  const both = runs.map(({ normalize, manifest }) => together([normalize, manifest]))
  return [
    timeRow(`native: ${sizeText(size)}`, both),
    timeRow(
      '  normalize',
      runs.map(({ normalize }) => normalize),
    ),
    timeRow(
      '  manifest',
      runs.map(({ manifest }) => manifest),
    ),
    workRow(both),
    memoryRow('  memory, process trees', { davit: both.map(({ memory }) => memory.tree) }),
    memoryRow('  memory, biggest process', { davit: both.map(({ memory }) => memory.biggest) }),
  ]
}
