import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Architecture, parseDocument } from '@davit/documents'
import { scratchDirectory } from '@davit/testing/scratch'
import { runHere } from '@davit/tool/testing'
import { beforeEach, expect, test } from 'vitest'
import { tool } from '../src/main.ts'

const MODEL = JSON.stringify({
  services: { web: { type: 'process', pkg: { source: 'web' }, targets: ['front'], weight: 1.5 } },
  infrastructure: { front: { properties: { hostname: 'front.example' }, containers: { process: {} } } },
})

let directory: string
beforeEach(() => {
  directory = scratchDirectory()
  mkdirSync(join(directory, 'web'))
  writeFileSync(join(directory, 'web/page'), 'hello')
})

async function normalize(input: string, ...words: readonly string[]) {
  const environment = { DAVIT_SYSTEM: 'x86_64-linux', DAVIT_STORE_DIR: join(directory, 'store') }
  return runHere(tool, words, { directory, environment, input })
}

test('davit-normalize -A - reads a model from standard input, with paths from the working directory', async () => {
  const origin = join(directory, 'origin')
  const { status, stdout, stderr } = await normalize(MODEL, '-A', '-', '--origin', origin)
  expect([status, stderr]).toEqual([0, ''])
  const file = join(directory, 'model.json')
  writeFileSync(file, MODEL)
  expect((await normalize('', '-A', file)).stdout).toBe(stdout)
  expect([...parseDocument(Architecture, stdout, { file: 'stdout' }).services.keys()]).toEqual(['web'])
  const { models } = JSON.parse(readFileSync(origin, 'utf8')) as { models: readonly object[] }
  expect(models).toEqual([expect.objectContaining({ role: 'architecture', file: '<stdin>', text: MODEL })])
})

test('other models may come from standard input, too', async () => {
  const infrastructure = '{ "front": { "properties": { "hostname": "front.example" } } }'
  const { status, stdout } = await normalize(infrastructure, '--infrastructure-only', '-i', '-')
  expect([status, Object.keys((JSON.parse(stdout) as { infrastructure: object }).infrastructure)]).toEqual([
    0,
    ['front'],
  ])
})

test('mistakes in a model from standard input are told with their places', async () => {
  const wrong = await normalize(MODEL.replace('"front"]', '"frontt"]'), '-A', '-')
  expect([wrong.status, wrong.stdout]).toEqual([65, ''])
  expect(wrong.stderr).toMatch(/<stdin>:1:\d+: error: /)
  const empty = await normalize('', '-A', '-')
  expect([empty.status, empty.stderr]).toEqual([66, expect.stringContaining('the previous tool in the pipe probably')])
  const noJson = await normalize('services: {}\n', '-A', '-')
  expect([noJson.status, noJson.stderr]).toEqual([65, expect.stringContaining('<stdin>:1:1')])
  const compiled = await normalize('{ "document": "stack", "version": 1 }', '-A', '-')
  expect([compiled.status, compiled.stderr]).toEqual([65, expect.stringContaining('leave out --skip-codegen')])
})
