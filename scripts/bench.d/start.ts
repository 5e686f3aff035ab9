import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Measurement, measure, measureNode, median } from './measure.ts'
import { type Line, timeRow, withAims } from './table.ts'
import { whereOf } from './where.ts'
import { inTurn, type Planned, plan, roomFor, type Workplace } from './workplace.ts'

export interface StartTerms {
  readonly name: string
  readonly runs: number
  /** Aims as multiples of the start of Node.js: for `--version`, and for an acting tool on an empty manifest. */
  readonly limits: { readonly version: number; readonly acting: number }
}

const ACTING = ['davit-distribute', 'davit-activate', 'davit-set']

/** Measures how long tools take that have nothing to do, compared with an empty program in Node.js. */
export async function benchStart(place: Workplace, { name, runs, limits }: StartTerms): Promise<readonly Line[]> {
  const directory = roomFor(place, name)
  const environment = {
    ...place.environment,
    DAVIT_STATE_DIR: join(directory, 'state'),
    DAVIT_STORE_DIR: join(directory, 'store'),
  }
  const { manifestFile } = await emptyManifest(place, { directory, environment })
  const all = readdirSync(place.bin).filter((tool) => tool.startsWith('davit'))
  const lines: Line[] = []
  for (const [tools, words, limit] of [
    [all, ['--version'], limits.version],
    [ACTING, [manifestFile], limits.acting],
  ] as const) {
    const times = new Map(tools.map((tool): [string, Measurement[]] => [tool, []]))
    const node: Measurement[] = []
    await inTurn(place, runs, {
      davit: async () => {
        for (const [tool, measured] of times)
          measured.push(await measure([join(place.bin, tool), ...words], { directory, environment }))
      },
      baseline: async () => void node.push(await measureNode({ directory, environment })),
    })
    const [slowest = '', measured = []] =
      [...times].toSorted(([, one], [, other]) => secondsOf(other) - secondsOf(one))[0] ?? []
    const what =
      words[0] === '--version' ? `${slowest} --version, the slowest` : `${slowest}, empty manifest, the slowest`
    lines.push(withAims(timeRow(what, measured, node), { ratio: limit }))
    if (tools === ACTING)
      lines.push(...(await whereOf([join(place.bin, slowest), ...words], { directory, environment })).notes)
  }
  return lines
}

function emptyManifest(
  place: Workplace,
  options: { readonly directory: string; readonly environment: NodeJS.ProcessEnv },
): Promise<Planned> {
  const models = ['services', 'infrastructure', 'distribution'].flatMap((role) => {
    const file = join(options.directory, `${role}.json`)
    writeFileSync(file, '{}')
    return [`--${role}`, file]
  })
  return plan(place, { ...options, models, within: (command) => command })
}

function secondsOf(measurements: readonly Measurement[]): number {
  return median(measurements.map(({ seconds }) => seconds))
}
