import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LIBRARY_DIRECTORY, LIBRARY_STACKS } from '@davit/stack-library'
import { parseData } from '@davit/languages'
import { expect, test } from 'vitest'
import { CODES, parseWorkspace, type StackCode } from '../src/stack.ts'
import { compileTexts, errorsOf, type Texts, warningsOf } from './testing.ts'

const page = (name: string) => readFileSync(new URL(`../../../../docs/${name}.md`, import.meta.url), 'utf8')
const [guide, codes] = [page('stacks'), page('stack-codes')]

/** Returns the blocks of YAML, by the file that a comment at their beginning names; other ones by `Mu.yaml`. */
function filesIn(text: string): Texts {
  const blocks = [...text.matchAll(/```yaml\n([^]*?)```/g)].map(([, block = '']) => block)
  return Object.fromEntries(blocks.map((block) => [/^# (\S+\.yaml)$/m.exec(block)?.[1] ?? 'Mu.yaml', block]))
}

const SECTIONS: ReadonlyMap<string, string> = new Map(
  codes
    .split(/^## /m)
    .slice(1)
    .map((section) => [/^\w+/.exec(section)?.[0] ?? '', section]),
)

test('the page of codes has all of them, in their order, with the way out', () => {
  expect([...SECTIONS.keys()]).toEqual(Object.keys(CODES))
  for (const [code, { about, severity }] of Object.entries(CODES)) {
    const line = `${severity === 'warning' ? 'A warning. ' : ''}${about}`
    expect(SECTIONS.get(code)?.split('\n')[2]).toBe(line)
  }
})

/** Back ends find these, or reading the machine's own files. */
const FOUND_ELSEWHERE: readonly StackCode[] = [
  'MU103',
  'MU610',
  'MU611',
  'MU612',
  'MU613',
  'MU10000',
  'MU10001',
  'MU10002',
]

const EXAMPLES = [...SECTIONS].filter(([, section]) => section.includes('```yaml'))

test.each(EXAMPLES)('the example of %s has this code, and no other', (code, section) => {
  const texts = filesIn(section)
  const space = texts['Muspace.yaml']
  const workspace = space === undefined ? [] : parseWorkspace({ name: 'Muspace.yaml', text: space }).findings
  const outcome = compileTexts(texts, { target: code.length > 5 ? 'aws' : 'machines' })
  const found = [...workspace.map((one) => [one.code]), ...errorsOf(outcome), ...warningsOf(outcome)]
  const expected = FOUND_ELSEWHERE.includes(code as StackCode) ? [] : [code]
  expect([...new Set(found.map(([one]) => one))]).toEqual(expected)
})

const GUIDE = filesIn(guide)
const WORDS: Readonly<Record<string, readonly string[]>> = { lamp: ['watts=5'] }
const STACKS = Object.keys(GUIDE).filter((file) => file.endsWith('/Mu.yaml'))

test.each(STACKS)('%s of the guide compiles without errors and warnings', (file) => {
  const directory = file.slice(0, -'/Mu.yaml'.length)
  const entry = { ...GUIDE, 'Mu.yaml': GUIDE[file] ?? '' }
  const outcome = compileTexts(entry, { target: 'machines', words: WORDS[directory] ?? [] })
  const lacking = directory === 'acme/page' ? [['MU506', 'counter']] : []
  expect([errorsOf(outcome), warningsOf(outcome)]).toEqual([lacking, []])
})

test('the guide has more than one stack, and valid workspaces', () => {
  expect(STACKS.length).toBeGreaterThan(8)
  const workspaces = [...guide.matchAll(/```yaml\n([^]*?)```/g)].flatMap(([, text = '']) =>
    /^clusters:/m.test(text) ? [text] : [],
  )
  expect(workspaces).toHaveLength(3)
  for (const text of workspaces) expect(parseWorkspace({ name: 'Muspace.yaml', text }).findings).toEqual([])
})

test.each(LIBRARY_STACKS)('the guide tells what %s has', (name) => {
  const [, section = ''] = new RegExp(`^### ${name}\n([^]*?)^##`, 'm').exec(guide) ?? []
  const rows = [...section.matchAll(/^\| `(\w+)` *\| (.*?) *\| (.*?) *\|$/gm)].map(([, ...cells]) => cells)
  const text = readFileSync(join(LIBRARY_DIRECTORY, name, 'Mu.yaml'), 'utf8').replace(/^\{\{.*\}\}$/m, '')
  const { properties } = plain(parseData(text, { file: name, language: 'yaml' }).value) as {
    readonly properties: Readonly<Record<string, LibraryProperty>>
  }
  const expected = Object.entries(properties).map(([property, { type, optional, default: usual, description }]) => [
    property,
    `\`${type}\`${optional === true || usual !== undefined ? '' : ', required'}`,
    `${description}${usual === undefined ? '' : `; default: \`${usual}\``}`,
  ])
  expect(rows).toEqual(expected)
})

interface LibraryProperty {
  readonly type: string
  readonly description: string
  readonly optional?: boolean
  readonly default?: string | number
}

function plain(value: unknown): unknown {
  if (!(value instanceof Map)) return value
  return Object.fromEntries([...(value as ReadonlyMap<string, unknown>)].map(([key, one]) => [key, plain(one)]))
}
