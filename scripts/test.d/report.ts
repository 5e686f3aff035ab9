/**
 * Prints what a run of scripts/test has cost, and keeps its figures.
 *
 * usage: tsx scripts/test.d/report.ts DIRECTORY [OPTION...]
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import { ROOT } from '../executables.ts'
import { type FileFigures, figuresPlace, grownStages, keepRun, keptRuns, type Run, type Stage } from './figures.ts'
import { type FileResult, readResults, skippedTests } from './results.ts'
import { renderWhere, type Where } from './where.ts'

const [directory = '', ...options] = process.argv.slice(2)
const kept = figuresPlace(process.env)

/** What a run of everything has, and one of selected tests has not. */
const LAST_STAGE = 'demonstration'
const EXPENSIVE_FILES = 10

const results = readdirSync(directory)
  .filter((name) => /^results-.*\.json$/.test(name))
  .flatMap((name) => readResults(join(directory, name)).testResults)
const stages = rowsOf('stages').map(([name = '', passed, failed, wall, processor]): Stage => ({
  name,
  passed: Number(passed),
  failed: Number(failed),
  wallSeconds: Number(wall) / 1000,
  processorSeconds: Number(processor) / 1e9,
}))
const files = fileFigures(results)
const kind = [`${availableParallelism()} processors`, ...options].join(' ')
const run: Run = { began: Date.now(), kind, stages, files }

const sections = [
  ...whereSection(),
  ...skippedSection(results),
  `== most expensive files\n${files.slice(0, EXPENSIVE_FILES).map(renderFile).join('\n')}`,
  stageSection(),
]
process.stdout.write(sections.map((section) => `\n${section}\n`).join(''))
if (stages.some(({ name }) => name === LAST_STAGE)) keepRun(kept, run)

/** Returns the rows of a table that scripts/test has written, without those that are missing. */
function rowsOf(name: string): readonly (readonly string[])[] {
  const file = join(directory, name)
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  return lines.filter((line) => line !== '').map((line) => line.split('\t'))
}

/** Returns the figures of all test files, the most expensive first. A file that was repeated counts with all repetitions. */
function fileFigures(all: readonly FileResult[]): readonly FileFigures[] {
  const processor = new Map<string, number>()
  for (const [time, path = ''] of rowsOf('times')) processor.set(path, (processor.get(path) ?? 0) + Number(time) / 1e9)
  const wall = new Map<string, number>()
  for (const { name, startTime, endTime } of all) {
    const path = relative(ROOT, name)
    wall.set(path, (wall.get(path) ?? 0) + (endTime - startTime) / 1000)
  }
  return [...wall]
    .map(([path, wallSeconds]) => ({ path, wallSeconds, processorSeconds: processor.get(path) ?? 0 }))
    .toSorted((left, right) => right.processorSeconds - left.processorSeconds)
}

function renderFile({ path, processorSeconds, wallSeconds }: FileFigures): string {
  return `${seconds(processorSeconds)} of processor time, ${seconds(wallSeconds)} in all: ${path}`
}

function skippedSection(all: readonly FileResult[]): readonly string[] {
  const skipped = skippedTests(all)
  if (skipped.length === 0) return []
  const lines = skipped.map(({ why, tests, files: where }) => {
    const others = where.length > 1 ? ` and ${where.length - 1} more` : ''
    return `${String(tests).padStart(7)} ${why} (${where[0]}${others})`
  })
  return [`== skipped\n${lines.join('\n')}`]
}

function whereSection(): readonly string[] {
  const file = join(directory, 'where.json')
  if (!existsSync(file)) return []
  const where = JSON.parse(readFileSync(file, 'utf8')) as Where
  return [renderWhere(where, { files, stages })]
}

function stageSection(): string {
  const total = (key: 'wallSeconds' | 'processorSeconds') => stages.reduce((sum, stage) => sum + stage[key], 0)
  const [peak = 0, start = 0] = readFileSync(join(directory, 'peak'), 'utf8').split(' ').map(Number)
  const counts = (state: string) =>
    results.flatMap((file) => file.assertionResults).filter(({ status }) => status === state).length
  const tested = counts('passed') + counts('failed')
  const all = results.reduce((sum, file) => sum + file.assertionResults.length, 0)
  return [
    '== cost',
    ...stages.map(({ name, processorSeconds, wallSeconds, failed }) => {
      return `${seconds(processorSeconds)} of processor time, ${seconds(wallSeconds)} in all: ${name}${failed > 0 ? ' (failed)' : ''}`
    }),
    `${seconds(total('processorSeconds'))} of processor time, ${seconds(wallOfRun())} in all: the whole run`,
    ...grownStages(run, keptRuns(kept)).map(({ stage, before, now }) => {
      return `GREW: '${stage}' used ${now.toFixed(0)} s of processor time, and ${before.toFixed(0)} s in the last runs`
    }),
    ...(rowsOf('stages').length > 0 && !existsSync(join(directory, 'grouped'))
      ? ['No control groups can be made here, so processes that outlive their parents do not count.']
      : []),
    `Memory at its peak: ${gigabytes(peak)} in use on this machine, ${gigabytes(peak - start)} more than at the start.`,
    `${tested} tests in ${results.length} files, ${counts('failed')} failures, ${all - tested} skipped.`,
  ].join('\n')
}

function wallOfRun(): number {
  return (Date.now() - Number(readFileSync(join(directory, 'began'), 'utf8'))) / 1000
}

function seconds(value: number): string {
  return `${value.toFixed(1)} s`.padStart(9)
}

function gigabytes(kilobytes: number): string {
  return `${(kilobytes / 2 ** 20).toFixed(1)} GiB`
}
