import { type FullMeasurement, median, measure } from './measure.ts'
import { NO_MEMORY } from './memory.ts'
import { type Line, timeRow, withAims } from './table.ts'
import { secondsOfEmptyRequest } from './helper-shell.ts'
import { whereOf } from './where.ts'
import type { TracedSpan } from './trace-summary.ts'
import { inTurn, type Workplace } from './workplace.ts'
import { servicesOn, wrapperRoom } from './wrapper-room.ts'

export interface ActivityTerms {
  readonly name: string
  readonly services: number
  readonly runs: number
  /** Aim as a multiple of `sh -c :`, started by the same helper. */
  readonly limit: number
}

/**
 * Measures one activation through everything, from what the coordinator reports at its beginning to what it reports at its end: the
 * average of many on one local target, one after the other.
 */
export async function benchActivity(place: Workplace, terms: ActivityTerms): Promise<readonly Line[]> {
  const { name, services, runs, limit } = terms
  const targets = [{ name: 'here', interface: 'local' }] as const
  const room = wrapperRoom(place, name, { targets })
  await room.prepare(
    'all',
    servicesOn(services, targets, (index) => `# ${index}`),
  )
  const [activated, started]: [number[], number[]] = [[], []]
  let notes: readonly Line[] = []
  await inTurn(place, runs, {
    async davit() {
      const where = await whereOf(room.deploy('all'), room.options)
      activated.push(secondsOfEach(where.trace.spans, services))
      notes = where.notes
      await measure(room.undeploy('all'), room.options)
    },
    baseline: async () => void started.push(await secondsOfEmptyRequest(services)),
  })
  const each = (seconds: readonly number[]) => ({ ...NOTHING, seconds: median(seconds) })
  const what = `one activity, of ${services} on one local target, 1 at a time`
  return [withAims(timeRow(what, [each(activated)], [each(started)]), { ratio: limit }), ...notes]
}

const NOTHING: FullMeasurement = { seconds: 0, work: 0, memory: NO_MEMORY, elsewhere: NO_MEMORY }

function secondsOfEach(spans: readonly TracedSpan[], count: number): number {
  const steps = spans.filter(({ kind, name }) => kind === 'step' && name === 'activate')
  if (steps.length !== count) throw new Error(`${steps.length} activations are traced instead of ${count}`)
  const begin = Math.min(...steps.map((step) => step.begin))
  const end = Math.max(...steps.map((step) => step.end))
  return (end - begin) / 1e6 / count
}
