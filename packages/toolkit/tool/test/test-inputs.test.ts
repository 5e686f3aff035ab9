import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { testFiles, testInputs } from '../../../../scripts/test-inputs.ts'

const root = mkdtempSync(join(tmpdir(), 'davit-inputs-'))
afterAll(() => rmSync(root, { recursive: true }))

const TEST = 'packages/tools/cut/test/cut.test.ts'
const FILES: Readonly<Record<string, string>> = {
  'package-lock.json': '{}',
  'docs/formats/cut.md': 'text',
  'docs/other.md': 'text',
  'scripts/executables.ts': 'export const all = packageDirectories()',
  'scripts/codes.ts': 'export const codes = packageDirectories()',
  'packages/planners/knife/package.json':
    '{ "name": "@davit/knife", "exports": { ".": "./src/knife.ts", "./testing": "./test/testing.ts" } }',
  'packages/planners/knife/src/knife.ts':
    "export { sharp } from './sharp.ts'\nexport { type Blade, blunt as dull } from './blunt.ts'\n",
  'packages/planners/knife/src/sharp.ts': "import { edge } from './edge.ts'\nexport const sharp = edge",
  'packages/planners/knife/src/edge.ts': 'export const edge = 1',
  'packages/planners/knife/src/blunt.ts': 'export const blunt = 0\nexport interface Blade {}',
  'packages/planners/knife/runtime/cut.sh': 'true',
  'packages/planners/knife/test/testing.ts': 'export const knives = []',
  'packages/planners/knife/test/fixtures/knives.txt': 'two',
  'packages/planners/knife/test/knife.test.ts': "import { dull } from '../src/knife.ts'",
  'packages/tools/cut/package.json': '{ "name": "@davit/cut", "executables": { "davit-cut": "src/bin.ts" } }',
  'packages/tools/cut/src/bin.ts': "import('./main.ts')",
  'packages/tools/cut/src/main.ts': "import { sharp } from '@davit/knife'\nexport const tool = sharp",
  'packages/tools/cut/src/page.ts': "export const page = new URL('../page/index.html', import.meta.url)",
  'packages/tools/cut/page/index.html': '<p>',
  'packages/tools/cut/man/davit-cut.1': '.TH',
  'packages/tools/cut/README.md': '# Cut',
  'packages/tools/cut/test/fixtures/wood.ts': 'export {}',
  'packages/tools/cut/test/fixtures/wood.txt': 'oak',
  'packages/tools/cut/test/other.test.ts': '',
  [TEST]: '',
}

beforeEach(() => {
  rmSync(root, { recursive: true })
  for (const [path, text] of Object.entries(FILES)) write(path, text)
})

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

/** Inputs that the test file has in any case. */
const ALWAYS = [
  'package-lock.json',
  'packages/tools/cut/package.json',
  'packages/tools/cut/page/index.html',
  'packages/tools/cut/test/fixtures/wood.ts',
  'packages/tools/cut/test/fixtures/wood.txt',
  TEST,
]
const KNIFE = ['packages/planners/knife/package.json', 'packages/planners/knife/runtime/cut.sh']

function inputsWith(text: string): readonly string[] {
  write(TEST, text)
  return testInputs(root)
    .inputsOf(TEST)
    .filter((path) => !ALWAYS.includes(path))
}

describe('inputs of a test file', () => {
  test('are the fixtures of its package, and what its programs read', () => {
    expect(testInputs(root).inputsOf(TEST)).toEqual(ALWAYS.toSorted())
  })

  test.each([
    [
      'what it imports from a package, as far as that is needed',
      "import { sharp } from '@davit/knife'",
      [...KNIFE, 'packages/planners/knife/src/edge.ts', 'packages/planners/knife/src/sharp.ts'],
    ],
    ['what is renamed', "import { dull } from '@davit/knife'", [...KNIFE, 'packages/planners/knife/src/blunt.ts']],
    ['no types', "import type { Blade } from '@davit/knife'\nimport { type Blade as B } from '@davit/knife'", []],
    [
      'the set-up of another package, with its fixtures',
      "import { knives } from '@davit/knife/testing'",
      [...KNIFE, 'packages/planners/knife/test/fixtures/knives.txt', 'packages/planners/knife/test/testing.ts'],
    ],
    [
      'all that a package exports, if it is imported as a whole',
      "import * as knife from '@davit/knife'",
      [...KNIFE, ...['blunt', 'edge', 'knife', 'sharp'].map((name) => `packages/planners/knife/src/${name}.ts`)],
    ],
    [
      'all that a package exports, if its name is a text by itself',
      "const api = require.resolve('@davit/knife')",
      [...KNIFE, ...['blunt', 'edge', 'knife', 'sharp'].map((name) => `packages/planners/knife/src/${name}.ts`)],
    ],
    [
      'a program that it names, with all that the program imports',
      "const program = new URL('../src/bin.ts', import.meta.url)",
      [
        ...KNIFE,
        'packages/planners/knife/src/edge.ts',
        'packages/planners/knife/src/sharp.ts',
        'packages/tools/cut/src/bin.ts',
        'packages/tools/cut/src/main.ts',
      ],
    ],
    ['a page that it names', "readFileSync(new URL('../../../../docs/formats/cut.md', x))", ['docs/formats/cut.md']],
    ['pages, one of which it names', 'new URL(`../../../../docs/formats/${name}.md`, x)', ['docs/formats/cut.md']],
    ['a page that it names from the root', "join(ROOT, 'docs/other.md')", ['docs/other.md']],
    ['no file that a comment names', "// see '../../../../docs/other.md'", []],
  ])('are %s', (_, text, inputs) => {
    expect(inputsWith(text)).toEqual(inputs.toSorted())
  })

  test.each([
    'for (const directory of packageDirectories()) read(directory)',
    'const tools = executables()',
    "import { codes } from '../../../../scripts/codes.ts'",
    "const repository = new URL('../../../..', import.meta.url)",
  ])('are all files, if it walks over all packages: %s', (text) => {
    expect(inputsWith(text)).toContain('packages/tools/cut/README.md')
  })
})

test('the hash of a test file changes with its inputs, and only with them', () => {
  write(TEST, "import { sharp } from '@davit/knife'")
  const before = testInputs(root).hashOf(TEST)
  write('packages/planners/knife/src/blunt.ts', 'export const blunt = 2')
  write('docs/other.md', 'other text')
  expect(testInputs(root).hashOf(TEST)).toBe(before)
  write('packages/planners/knife/src/edge.ts', 'export const edge = 2')
  expect(testInputs(root).hashOf(TEST)).not.toBe(before)
})

test('testFiles() finds those of all packages', () => {
  expect(testFiles(root)).toEqual([
    'packages/planners/knife/test/knife.test.ts',
    TEST,
    'packages/tools/cut/test/other.test.ts',
  ])
})
