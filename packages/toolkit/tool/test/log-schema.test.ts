import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { asDetail, asDiagnostic, messages, type FieldTable, note, type ReportEvent, warning } from '@davit/diagnostics'
import { fits, type Schema } from '@davit/testing/json-schema'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { bundleTools } from '../../../../scripts/bundle-programs.ts'
import { messageCodes } from '../../../../scripts/codes.ts'
import { executables } from '../../../../scripts/executables.ts'
import { LOG_SCHEMA, schemaOf } from '../../../../scripts/log-line.ts'
import { renderEventJson } from '../src/render-event.ts'

const directory = mkdtempSync(join(tmpdir(), 'davit-log-'))
afterAll(() => rmSync(directory, { recursive: true }))

const schema = JSON.parse(readFileSync(LOG_SCHEMA, 'utf8')) as Schema

test('the schema of the log is that of the tables: npx tsx scripts/code-pages.ts writes it', async () => {
  expect(schema).toEqual(schemaOf(await messageCodes()))
})

const line = (text: string): unknown => JSON.parse(text)

const SAMPLES: Readonly<Record<string, unknown>> = { number: 3, generation: 3, truth: true, texts: ['a'], numbers: [1] }

/** A message with the same code and fields, and any text. */
function sampleOf(code: string, kind: string, table: FieldTable) {
  const say = messages({ [code]: (kind === 'warning' ? warning : note)(table, () => 'text') })
  const given = Object.entries(table).map(([name, word]) => [name, SAMPLES[word.replace('?', '')] ?? 'text'] as const)
  return say(code, Object.fromEntries(given) as never)
}

test('each message of each package is a line that fits, and with a field too many or of another type none', async () => {
  const rendered = (event: ReportEvent) =>
    renderEventJson(event, { verbosity: 'verbose', time: '2026-01-01T00:00:00.000Z', tool: 'davit-sample' }) ?? ''
  for (const { code, kind, fields } of await messageCodes()) {
    const sample = sampleOf(code, kind, fields)
    const good = line(rendered(sample)) as object
    expect({ code, fits: fits(schema, good) }).toEqual({ code, fits: true })
    expect(fits(schema, { ...good, another: 1 })).toBe(false)
    expect(fits(schema, { ...good, message: 1 })).toBe(false)
    if (sample.target !== undefined) continue
    const diagnostic = asDiagnostic(sample, { path: ['a', 0] })
    const other: ReportEvent = kind === 'warning' ? { kind: 'diagnostic', diagnostic } : asDetail(sample)
    expect({ code, fits: fits(schema, line(rendered(other))) }).toEqual({ code, fits: true })
  }
})

describe('real runs', () => {
  const programs = join(directory, 'programs')

  beforeAll(async () => {
    const names = ['davit-env', 'davit-generations', 'davit-manifest', 'davit-normalize']
    await bundleTools(
      executables().filter(({ name }) => names.includes(name)),
      programs,
    )
  })

  test.each([
    ['a note', 'generations -p none', 'note', 'no-generations'],
    [
      'a warning about a model',
      'normalize -i infrastructure.yaml -s services.yaml -d services.yaml',
      'diagnostic',
      'attribute-unknown',
    ],
    ['an error with what is wrong', 'manifest broken.json', 'error', 'invalid-document'],
    ['an error of a command line', 'generations --lost', 'error', 'usage'],
    ['an error of davit-env', 'env --lost', 'error', 'usage'],
  ])('%s fits', (_, command, kind, code) => {
    writeFileSync(join(directory, 'infrastructure.yaml'), 't1:\n  numOfCore: 1\n  properties: { hostname: t1 }\n')
    writeFileSync(join(directory, 'services.yaml'), '{}\n')
    writeFileSync(join(directory, 'broken.json'), '{"document":"architecture","version":1}\n')
    const environment = {
      ...process.env,
      DAVIT_STATE_DIR: join(directory, 'state'),
      DAVIT_STORE_DIR: join(directory, 'store'),
    }
    const [tool, ...words] = command.split(' ')
    const program = join(programs, `bin/davit-${tool}.cjs`)
    const { stderr } = spawnSync(program, [...words, '--log-format', 'json'], {
      cwd: directory,
      env: environment,
      encoding: 'utf8',
    })
    const lines = stderr.trimEnd().split('\n').map(line)
    expect(lines.filter((one) => !fits(schema, one))).toEqual([])
    expect(lines).toContainEqual(expect.objectContaining({ kind, code }))
  })
})
