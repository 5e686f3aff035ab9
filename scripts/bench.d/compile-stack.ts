import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Measurement, measure } from './measure.ts'
import { type StackSize, writeStacks } from './stack-files.ts'
import { type Limits, type Line, memoryRow, timeRow, withAims } from './table.ts'
import { inTurn, roomFor, type Workplace } from './workplace.ts'

export interface CompileStackTerms {
  readonly name: string
  readonly runs: number
  readonly size: StackSize
  readonly limits: Limits & { readonly memory: number }
  /** What it is compared with, and the aims for that. */
  readonly others: readonly { readonly size: StackSize; readonly ratio: number }[]
}

/** Measures the compilation of a stack, and of larger or deeper ones beside it. */
export async function benchCompileStack(place: Workplace, terms: CompileStackTerms): Promise<readonly Line[]> {
  const { name, runs, size, limits, others } = terms
  const room = roomFor(place, name)
  const sizes = [size, ...others.map((other) => other.size)]
  const workspaces = sizes.map((each) => {
    const directory = join(room, `${each.instances}-${each.levels}`)
    mkdirSync(directory)
    writeStacks(directory, each)
    return { directory, times: [] as Measurement[] }
  })
  const compile = async ({ directory, times }: (typeof workspaces)[number]) => {
    const command = [join(place.bin, 'davit-compile-stack'), directory, '--skip-codegen']
    times.push(await measure(command, { directory, environment: place.environment }))
  }
  const [first, ...rest] = workspaces
  await inTurn(place, runs, {
    baseline: async () => first && compile(first),
    async davit() {
      for (const workspace of rest) await compile(workspace)
    },
  })
  const baseline = first?.times ?? []
  const memory = baseline.map((one) => one.memory.tree)
  return [
    withAims(timeRow(sizeText(size), baseline), limits),
    memoryRow('  memory', { davit: memory }, limits.memory),
    ...others.map((other, index) =>
      withAims(timeRow(sizeText(other.size), rest[index]?.times ?? [], baseline), { ratio: other.ratio }),
    ),
  ]
}

function sizeText({ instances, levels }: StackSize): string {
  return `a stack of ${instances.toLocaleString('en')} instances in ${levels} levels`
}
