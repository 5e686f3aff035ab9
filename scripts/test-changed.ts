/**
 * Runs the tests of packages that a change can have broken: the files whose inputs are not those with which they passed before.
 *
 * usage: tsx scripts/test-changed.ts [--all] [--list] [NAME...]
 *   --all   run all test files of packages
 *   --list  print the test files that would run, and run none
 *   NAME    run the test files whose path contains NAME, whatever they did before
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { ROOT } from './executables.ts'
import { readResults } from './test.d/results.ts'
import { testFiles, testInputs } from './test-inputs.ts'

/** Hashes of the inputs with which a test file passed, by its path, the latest last. */
type Passed = Readonly<Record<string, readonly string[]>>

const CACHE = join(ROOT, 'node_modules/.cache/davit-tests/passed.json')
/** Hashes that are kept for each file, so that nothing runs again after a change was taken back. */
const KEPT = 10
const OPTIONS = ['--all', '--list']

const words = process.argv.slice(2)
const names = words.filter((word) => !word.startsWith('-'))
const wrong = words.find((word) => word.startsWith('-') && !OPTIONS.includes(word))
if (wrong === undefined) runTests()
else fail(`unknown option '${wrong}'`)

function fail(message: string): void {
  console.error(`test-changed: ${message}`)
  process.exitCode = 64
}

function runTests(): void {
  const { hashOf } = testInputs()
  const hashes = new Map(testFiles().map((test) => [test, `${hashOf(test)} ${circumstances()}`]))
  const passed = readPassed()
  const isChosen = (test: string, hash: string) => {
    if (names.length > 0) return names.some((name) => test.includes(name))
    return words.includes('--all') || passed[test]?.includes(hash) !== true
  }
  const chosen = [...hashes].filter(([test, hash]) => isChosen(test, hash)).map(([test]) => test)
  if (words.includes('--list')) {
    console.log(chosen.join('\n'))
    return
  }
  console.log(
    `${chosen.length} of ${hashes.size} test files run; the others passed before with the same inputs, or were not chosen`,
  )
  if (chosen.length > 0) runFiles(chosen, hashes, passed)
}

/** Returns what tests depend on besides files. */
function circumstances(): string {
  const { DAVIT_TEST_ALL = '', DAVIT_TEST_THOROUGH = '' } = process.env
  return [process.version, process.getuid?.(), DAVIT_TEST_ALL, DAVIT_TEST_THOROUGH].join(' ')
}

/** Runs test files, and keeps the hashes of those that passed. What changes meanwhile counts for the next run. */
function runFiles(tests: readonly string[], hashes: ReadonlyMap<string, string>, passed: Passed): void {
  const directory = mkdtempSync(join(tmpdir(), 'davit-changed-'))
  try {
    const results = join(directory, 'results.json')
    const options = ['--project', 'unit', '--project', 'machines', '--reporter=default', '--reporter=json']
    const { status } = spawnSync(
      join(ROOT, 'node_modules/.bin/vitest'),
      ['run', ...options, `--outputFile.json=${results}`, ...tests],
      { cwd: ROOT, stdio: 'inherit' },
    )
    process.exitCode = status ?? 1
    const good = readResults(results).testResults.filter((file) => file.status === 'passed')
    keepPassed(passed, new Map(good.map(({ name }) => [relative(ROOT, name), hashes.get(relative(ROOT, name)) ?? ''])))
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** What cannot be read counts as nothing. */
function readPassed(): Passed {
  try {
    return JSON.parse(readFileSync(CACHE, 'utf8')) as Passed
  } catch {
    return {}
  }
}

function keepPassed(before: Passed, now: ReadonlyMap<string, string>): void {
  const merged = [...now].map(([test, hash]) => {
    const others = (before[test] ?? []).filter((other) => other !== hash)
    return [test, [...others, hash].slice(-KEPT)] as const
  })
  mkdirSync(dirname(CACHE), { recursive: true })
  const written = `${CACHE}.${process.pid}`
  writeFileSync(written, JSON.stringify({ ...before, ...Object.fromEntries(merged) }))
  renameSync(written, CACHE)
}
