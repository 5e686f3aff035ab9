import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { measure, type FullMeasurement } from './measure.ts'

export interface Workplace {
  /** Directory of this run of the benchmarks, which removes it in the end. */
  readonly directory: string
  /** Directory of davit's executables. */
  readonly bin: string
  readonly quick: boolean
  /** Number of measurements of each thing; slow benchmarks make fewer. */
  readonly runs: number
  /** Environment of davit and of the baseline, without the user's variables. */
  readonly environment: NodeJS.ProcessEnv
  say(text: string): void
}

export interface Contestants {
  davit(run: number): Promise<void>
  baseline(run: number): Promise<void>
}

/** Runs davit and the baseline alternately, and alternates which of them is first. */
export async function inTurn({ say }: Workplace, runs: number, contestants: Contestants): Promise<void> {
  for (let run = 1; run <= runs; run += 1) {
    say(`run ${run} of ${runs}`)
    if (run % 2 === 1) await contestants.davit(run)
    await contestants.baseline(run)
    if (run % 2 === 0) await contestants.davit(run)
  }
}

/** Creates the directory of a benchmark. */
export function roomFor({ directory }: Workplace, name: string): string {
  const room = join(directory, name)
  mkdirSync(room, { recursive: true })
  return room
}

/** Measurements of davit's steps between models and manifest. */
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
  /** Wraps a command so that it sees the store. */
  readonly within: (command: readonly string[]) => readonly string[]
}

/** Runs and measures the steps from models to a manifest, as davit-env does. */
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
