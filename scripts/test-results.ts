/**
 * Summarizes the JSON results of vitest: the first line is 'PASSED FAILED', the failures follow.
 *
 * usage: tsx scripts/test-results.ts FILE
 */
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { ROOT } from './executables.ts'

interface Results {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly testResults: readonly FileResult[]
}

interface FileResult {
  readonly name: string
  readonly status: string
  /** The reason why the file could not be loaded, or its set-up failed. */
  readonly message?: string
  readonly assertionResults: readonly TestResult[]
}

interface TestResult {
  readonly status: string
  readonly fullName: string
  readonly failureMessages?: readonly string[]
}

const LONGEST_MESSAGE = 3000

const { numPassedTests, numFailedTests, testResults } = JSON.parse(
  readFileSync(process.argv[2] ?? '', 'utf8'),
) as Results
const failedFiles = testResults.filter(({ status, assertionResults }) => {
  return status === 'failed' && !assertionResults.some((test) => test.status === 'failed')
})
const lines = [
  `${numPassedTests} ${numFailedTests + failedFiles.length}`,
  ...failedFiles.map(({ name, message = '' }) => renderFailure(relative(ROOT, name), message)),
  ...testResults.flatMap(renderFailedTests),
]
process.stdout.write(`${lines.join('\n')}\n`)

function renderFailedTests({ name, assertionResults }: FileResult): readonly string[] {
  return assertionResults
    .filter(({ status }) => status === 'failed')
    .map(({ fullName, failureMessages = [] }) => {
      return renderFailure(`${relative(ROOT, name)}: ${fullName}`, failureMessages.join('\n'))
    })
}

function renderFailure(title: string, message: string): string {
  return `FAILED: ${title}\n${message.slice(0, LONGEST_MESSAGE).replace(/^/gm, '  ')}`
}
