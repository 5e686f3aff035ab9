import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { measure, type FullMeasurement } from './measure.ts'

export interface Workplace {
  /** Of this run of the benchmarks, and gone with it. */
  readonly directory: string
  /** Where the executables of davit are. */
  readonly bin: string
  readonly quick: boolean
  /** How often each thing is measured, if it does not take long. */
  readonly runs: number
  /** For davit and for what it is compared with: nothing of the user's. */
  readonly environment: NodeJS.ProcessEnv
  say(text: string): void
}

export interface Contestants {
  davit(run: number): Promise<void>
  baseline(run: number): Promise<void>
}

/** Takes turns, and takes turns at being the first. */
export async function inTurn({ say }: Workplace, runs: number, contestants: Contestants): Promise<void> {
  for (let run = 1; run <= runs; run += 1) {
    say(`run ${run} of ${runs}`)
    if (run % 2 === 1) await contestants.davit(run)
    await contestants.baseline(run)
    if (run % 2 === 0) await contestants.davit(run)
  }
}

/** A fresh directory of a benchmark. */
export function roomFor({ directory }: Workplace, name: string): string {
  const room = join(directory, name)
  mkdirSync(room, { recursive: true })
  return room
}

/** What the steps of davit between models and manifest take. */
export interface Planned {
  readonly normalize: FullMeasurement
  readonly manifest: FullMeasurement
  readonly architectureFile: string
  readonly manifestFile: string
}

export interface PlanOptions {
  readonly models: readonly string[]
  readonly directory: string
  readonly environment: NodeJS.ProcessEnv
  /** Makes a command one that sees the store. */
  readonly within: (command: readonly string[]) => readonly string[]
}

/** As davit-env does it. */
export async function plan({ bin }: Workplace, { models, within, ...options }: PlanOptions): Promise<Planned> {
  const architectureFile = join(options.directory, 'architecture.json')
  const manifestFile = join(options.directory, 'manifest.json')
  const normalize = [join(bin, 'davit-normalize'), ...models, '--output', architectureFile]
  const manifest = [join(bin, 'davit-manifest'), architectureFile, '--format', 'json', '--output', manifestFile]
  return {
    normalize: await measure(within(normalize), options),
    manifest: await measure(within(manifest), options),
    architectureFile,
    manifestFile,
  }
}
