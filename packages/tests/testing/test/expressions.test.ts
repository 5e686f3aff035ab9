import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { ROOT } from '../../../../scripts/executables.ts'
import {
  expressionProblems,
  problemOf,
  shippedExpressions,
} from '../../../../scripts/expressions/expression-problems.ts'
import { expressionsIn } from '../../../../scripts/expressions/expressions-in.ts'
import { type HostileText, hostileTexts } from '../../../../scripts/expressions/hostile-texts.ts'

test.each([
  // What a repetition matches, one around it matches too.
  [/^(?:\s|#.*)*\{/, 'years'],
  [/^(?:[\s\uFEFF]|<\?[^]*?\?>|<!--[^]*?-->)*<([A-Za-z_][\w.-]*)/, 'years'],
  [/"(?:\{\{[^]*?\}\}|\\[^]|[^"\\])*"/, 'years'],
  [/^(a*)*b/, 'years'],
  [/^(?:ab|(?:ab)+c?)+$/, 'years'],
  [/^(?:a?b?)*$/, 'years'],
  // Two that follow each other match the same.
  [/^(.*)e(.*)$/, 'hours'],
  [/^(\S+) +(.*?)\s*$/, 'hours'],
  [/^[+-]?(?:\d+\.?\d*|\.\d+)$/, 'hours'],
  [/^(?:ab)*(?:ab)*$/, 'hours'],
  [/^(?!.*\/x)[^]*y(?=.*z)/gm, 'hours'],
  // A search begins again at each character.
  [/\s+$/, 'hours'],
  [/\{\{.*?\}\}/g, 'hours'],
  [/<!--[^]*?-->/g, 'hours'],
  [/^\s*Reason: /m, 'hours'],
  [/davit:(\S+)\n/, 'hours'],
  [/(?:^|,)x+y/, 'hours'],
  [/(?<=a.*)b/, 'whose cost is not known'],
  [/(a)\1/, 'whose cost is not known'],
])('%s may take more steps than a text is long', ({ source, flags }, problem) => {
  expect(problemOf(source, flags)).toContain(problem)
})

test.each([
  /^(?:[A-Za-z0-9_.+-]+\/)+[0-9a-z]{32}$/,
  /(?<! ) +$/,
  /(?<![^\s,])\d+$/m,
  /^[ \t]*Reason: (.*?)\.?$/m,
  /"(?:[^"\\]|\\[^])*"?|[()]/g,
  /(?:\\x[0-9a-fA-F]{2}|\\[0-7]{3})+|\\[^]/g,
  /<!--[^]*?-->|(?<characters>[^<]+)/y,
  /a{0,200}b/,
])('%s takes as many steps as a text is long', ({ source, flags }) => {
  expect(problemOf(source, flags)).toBeUndefined()
})

test('expressions are found wherever they are written', () => {
  const found = expressionsIn(
    "const A = 'a+'\nconst B = /b/g\nnew RegExp(`^${A}c`, 'm')\nRegExp(String.raw`\\d`)\nnew RegExp(given)",
    'a.ts',
  )
  expect(found.map(({ line, pattern, flags }) => `${line} ${pattern} ${flags}`)).toEqual([
    '2 b g',
    '3 ^a+c m',
    '4 \\d ',
    '5 undefined ',
  ])
  const placed = found.map((expression) => ({ ...expression, file: 'packages/a.ts' }))
  expect(expressionProblems(placed)).toEqual([expect.stringMatching(/^packages\/a\.ts:5: .* made at run time/)])
})

const SHIPPED = shippedExpressions(ROOT)

test('what is shipped has no expression that takes more steps than a text is long', () => {
  expect(SHIPPED.length).toBeGreaterThan(300)
  expect(expressionProblems(SHIPPED)).toEqual([])
})

/** An expression that is quadratic takes minutes for this, one that is exponential years. */
const LENGTH = 200_000
/** Milliseconds without news after which an expression counts as one that never ends. */
const HANGS = 50_000

test('no expression hangs on texts that go round its repetitions', { timeout: 10 * HANGS }, async () => {
  const attacked = SHIPPED.flatMap(({ pattern, flags }) =>
    pattern === undefined ? [] : [{ pattern, flags, texts: hostileTexts(pattern, flags) }],
  )
  expect(attacked.reduce((count, { texts }) => count + texts.length, 0)).toBeGreaterThan(1_000)
  expect(await firstThatHangs(attacked)).toBeUndefined()
})

test('an expression that hangs is found', async () => {
  const [source, flags] = ['^(?:\\s|#.*)*\\{', '']
  expect(await firstThatHangs([{ pattern: source, flags, texts: hostileTexts(source, flags) }], 300)).toBe(source)
})

interface Attacked {
  readonly pattern: string
  readonly flags: string
  readonly texts: readonly HostileText[]
}

const ATTACK = `
const { parentPort, workerData } = require('node:worker_threads')
for (const [index, { pattern, flags, texts }] of workerData.attacked.entries()) {
  for (const { before, repeated } of texts) {
    const text = before + repeated.repeat(Math.ceil(workerData.length / (repeated.length || 1)))
    for (const end of ['', '\\0', '\\n!']) (text + end).replace(new RegExp(pattern, flags), '')
  }
  parentPort.postMessage(index)
}`

/** Runs expressions on their texts in a thread. */
async function firstThatHangs(attacked: readonly Attacked[], patience = HANGS): Promise<string | undefined> {
  const worker = new Worker(ATTACK, { eval: true, workerData: { attacked, length: LENGTH } })
  let done = 0
  const ended = await new Promise<boolean>((resolve, reject) => {
    let timer = setTimeout(() => resolve(false), patience)
    worker.on('message', (index: number) => {
      done = index + 1
      clearTimeout(timer)
      timer = setTimeout(() => resolve(false), patience)
    })
    worker.once('error', reject)
    worker.once('exit', () => {
      clearTimeout(timer)
      resolve(true)
    })
  })
  await worker.terminate()
  return ended ? undefined : attacked[done]?.pattern
}
