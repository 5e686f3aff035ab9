/**
 * Summarizes the JSON results of vitest: the first line is 'PASSED FAILED', the failures follow.
 *
 * usage: tsx scripts/test-results.ts FILE
 */
import { relative } from 'node:path'
import { ROOT } from './executables.ts'
import { type FileResult, readResults } from './test.d/results.ts'

const LONGEST_MESSAGE = 3000

const { numPassedTests, numFailedTests, testResults } = readResults(process.argv[2] ?? '')
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
