/**
 * Refuses tests that read files of the repository that are not among their inputs: `npm test` would not run them after a change.
 *
 * usage: tsx scripts/check-test-inputs.ts FILE
 */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './executables.ts'
import { testFiles, testInputs } from './test-inputs.ts'

const tests = new Set(testFiles())
const { inputsOf } = testInputs()
const lines = readFileSync(process.argv[2] ?? '', 'utf8')
  .split('\n')
  .filter((line) => line !== '')
const problems = lines.flatMap((line) => {
  const [test = '', path = ''] = line.split('\t')
  const inputs = tests.has(test) ? inputsOf(test) : undefined
  return inputs === undefined || isInput(path, inputs)
    ? []
    : [`${test} reads '${path}', which it neither imports nor names by its path`]
})
for (const problem of new Set(problems)) console.error(problem)
if (problems.length > 0) process.exitCode = 1

/** A directory is read as a whole, so one input in it is enough. */
function isInput(path: string, inputs: readonly string[]): boolean {
  if (!existsSync(join(ROOT, path))) return true
  if (statSync(join(ROOT, path)).isDirectory())
    return path === '' || inputs.some((input) => input.startsWith(`${path}/`))
  return inputs.includes(path)
}
