import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { scratchDirectory } from '@davit/testing/scratch'
import { expect, test } from 'vitest'
import { TemplateError } from '../src/go-template.ts'
import { expanded, STANDARD } from './testing.ts'

/** Returns the output, or null for a template that fails. */
function outputOf(template: string): string | null {
  try {
    return expanded(template).text
  } catch (error) {
    if (error instanceof TemplateError) return null
    throw error
  }
}

test.each(STANDARD.cases)('expandTemplate() makes of %j what Go makes of it', (template, output) => {
  expect(outputOf(template)).toBe(output)
})

const isAsked = Boolean(process.env['DAVIT_TEST_ALL'])

test.runIf(isAsked)(
  'the standard cases are what the real text/template makes of them',
  () => {
    const program = fileURLToPath(new URL('fixtures/expand.go', import.meta.url))
    const requests = STANDARD.cases.map(([template]) => ({ template, context: STANDARD.context }))
    const environment = { ...process.env, GOCACHE: scratchDirectory(), GO111MODULE: 'off', GOFLAGS: '' }
    const { stdout, stderr, error } = spawnSync('go', ['run', program], {
      input: JSON.stringify(requests),
      env: environment,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    })
    expect({ error, stderr }).toStrictEqual({ error: undefined, stderr: '' })
    const outputs = JSON.parse(stdout) as readonly (string | null)[]
    expect(STANDARD.cases.map(([template], index) => [template, outputs[index]])).toStrictEqual(STANDARD.cases)
  },
  300_000,
)
