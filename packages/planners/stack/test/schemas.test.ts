import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseData } from '@davit/languages'
import { LIBRARY_DIRECTORY } from '@davit/stack-library'
import { fits, type Schema } from '@davit/testing/json-schema'
import { expect, test } from 'vitest'
import { STACK_SCHEMAS } from '../../../../scripts/stack-schemas.ts'

const REPOSITORY = fileURLToPath(new URL('../../../..', import.meta.url))
const SOURCES = [join(REPOSITORY, 'packages/planners/stack/test/fixtures'), join(REPOSITORY, 'packages/examples')]
const FILES = [...SOURCES, LIBRARY_DIRECTORY].flatMap((directory) =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((file) => /(?:^|\/)(?:Mu|Muspace)\.(?:yaml|json)$/.test(file))
    .map((file) => join(directory, file)),
)

/** Here, templates make the very structure, so that editors cannot parse the file before it is expanded. */
const isMade = (file: string) => file.endsWith('/cases/templates/Mu.yaml')
/** It shows types that are wrong, among them a missing one. */
const isWrong = (file: string) => file.endsWith('/cases/malformed-types/Mu.yaml')

function committed(name: string): Schema {
  return JSON.parse(readFileSync(join(REPOSITORY, 'docs/formats/schemas', `${name}.json`), 'utf8')) as Schema
}

test.each(Object.entries(STACK_SCHEMAS))('the schema %s is the one that is committed', (name, schema) => {
  expect(committed(name)).toEqual(schema)
})

test.each(FILES.filter((file) => !isMade(file)))('%s is judged as davit does', (file) => {
  const schema = committed(basename(file).startsWith('Muspace') ? 'muspace' : 'mufile')
  expect(fits(schema, valueIn(readFileSync(file, 'utf8'), file))).toBe(!isWrong(file))
})

test('there are files of all kinds', () => {
  expect(new Set(FILES.map((file) => basename(file)))).toEqual(new Set(['Mu.yaml', 'Mu.json', 'Muspace.yaml']))
})

test.each([
  ['mufile', 'nam: shop'],
  ['mufile', 'name: [shop]'],
  ['mufile', 'abstract: "yes"'],
  ['mufile', 'services: { web: { type: mu/container } }'],
  ['mufile', 'services: { public: { web: mu/container } }'],
  ['mufile', 'services: { public: { web: { type: 1 } } }'],
  ['mufile', 'properties: { port: number }'],
  ['mufile', 'properties: { port: {} }'],
  ['mufile', 'properties: { port: { type: number, read-only: true } }'],
  ['mufile', 'properties: { port: { type: { minimum: low } } }'],
  ['mufile', 'schema: { public: { Size: { base: number, least: 1 } } }'],
  ['mufile', 'stacks: { public: { a: { type: mu/container } } }'],
  ['mufile', 'stacks: { private: { a: { service: {} } } }'],
  ['mufile', '[]'],
  ['muspace', 'cluster: {}'],
  ['muspace', 'clusters: { test: { infra: machines.yaml } }'],
  ['muspace', 'clusters: { test: { cloud: azur } }'],
  ['muspace', 'clusters: { test: { placement: { a: left } } }'],
  ['muspace', 'dependencies: [acme/db]'],
])('the schema %s refuses %s', (name, text) => {
  expect(fits(committed(name), valueIn(text, 'wrong.yaml'))).toBe(false)
})

test.each(['', 'name: a\nservices:', 'version: 1.10', 'stacks: { private: { a: { type: b, x: 1 }, c: { base: d } } }'])(
  'the schema of stack files accepts %j',
  (text) => {
    expect(fits(committed('mufile'), text === '' ? null : valueIn(text, 'right.yaml'))).toBe(true)
  },
)

/** Parses a file as editors see it, with any text in place of templates. */
function valueIn(text: string, file: string): unknown {
  const language = file.endsWith('.json') ? 'json' : 'yaml'
  const plain = text.replaceAll(/^\s*(?:\{\{[^{}]*\}\}\s*)+$/gm, '').replaceAll(/\{\{[^{}]*\}\}/g, 'x')
  return plainOf(parseData(plain, { file, language }).value)
}

function plainOf(value: unknown): unknown {
  if (value instanceof Map) {
    return Object.fromEntries([...(value as ReadonlyMap<string, unknown>)].map(([key, one]) => [key, plainOf(one)]))
  }
  if (Array.isArray(value)) return value.map(plainOf)
  // A number with a fraction keeps its text.
  return typeof value === 'object' && value !== null && 'value' in value ? value.value : value
}
