import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** What a run of all tests has cost. */
export interface Run {
  /** Milliseconds since 1970. */
  readonly began: number
  /** Runs are compared only with those that had the same options, and as many processors. */
  readonly kind: string
  readonly stages: readonly Stage[]
  readonly files: readonly FileFigures[]
}

export interface Stage {
  readonly name: string
  readonly passed: number
  readonly failed: number
  readonly wallSeconds: number
  readonly processorSeconds: number
}

export interface FileFigures {
  readonly path: string
  readonly wallSeconds: number
  readonly processorSeconds: number
}

/** Runs that are kept. */
const RUNS = 20
const NAME = 'runs.json'

/** Returns the directory of the kept figures, which scripts/test chooses in the same way. */
export function figuresPlace({ DAVIT_TEST_KEPT, XDG_STATE_HOME, HOME }: NodeJS.ProcessEnv): string {
  return DAVIT_TEST_KEPT || join(XDG_STATE_HOME || join(HOME || homedir(), '.local/state'), 'davit-tests')
}

/** Returns the last runs, oldest first. What cannot be read counts as none, since figures are no reason for a run to fail. */
export function keptRuns(directory: string): readonly Run[] {
  try {
    const { runs } = JSON.parse(readFileSync(join(directory, NAME), 'utf8')) as { readonly runs?: readonly Run[] }
    return runs ?? []
  } catch {
    return []
  }
}

export function keepRun(directory: string, run: Run): void {
  mkdirSync(directory, { recursive: true })
  const runs = [...keptRuns(directory), run].slice(-RUNS)
  const written = join(directory, `.${NAME}.${process.pid}`)
  writeFileSync(written, `${JSON.stringify({ runs })}\n`)
  renameSync(written, join(directory, NAME))
}

/** Runs with which a run is compared. */
const COMPARED = 5
/** A stage that uses more by this factor is reported, if it also uses this many seconds more: short ones vary. */
const GROWTH = 1.2
const LEAST_SECONDS = 2

export interface Growth {
  readonly stage: string
  readonly before: number
  readonly now: number
}

/** Returns the stages that used more than a fifth more than the median of the last runs of the same kind. */
export function grownStages(run: Run, earlier: readonly Run[]): readonly Growth[] {
  const compared = earlier.filter(({ kind }) => kind === run.kind).slice(-COMPARED)
  return run.stages.flatMap(({ name, failed, processorSeconds }) => {
    const stages = compared.flatMap(({ stages: all }) => all.filter((stage) => stage.name === name))
    const before = median(stages.filter((stage) => stage.failed === 0).map((stage) => stage.processorSeconds))
    const hasGrown =
      before !== undefined && processorSeconds > GROWTH * before && processorSeconds > before + LEAST_SECONDS
    return hasGrown && failed === 0 ? [{ stage: name, before, now: processorSeconds }] : []
  })
}

function median(values: readonly number[]): number | undefined {
  return values.toSorted((left, right) => left - right)[Math.floor((values.length - 1) / 2)]
}

/** Files that take at least this part of the time of all files count as long. */
const LONG_PART = 0.01

/**
 * Returns the test files that took long in the last run without failures. A failed run does not count, so that its order can be
 * repeated.
 */
export function longFiles(runs: readonly Run[]): ReadonlySet<string> {
  const files = runs.findLast(({ stages }) => stages.every(({ failed }) => failed === 0))?.files ?? []
  const total = files.reduce((sum, { wallSeconds }) => sum + wallSeconds, 0)
  return new Set(files.filter(({ wallSeconds }) => wallSeconds >= LONG_PART * total).map(({ path }) => path))
}
