import { FORGERIES, forgeriesIn } from '@davit/testing/hostile'
import { describe, expect, test } from 'vitest'

import { renderMarkdown, renderText } from '../src/review.ts'
import { changeOfAll } from './plans.ts'

function planWith(text: string) {
  const plan = changeOfAll()
  return {
    ...plan,
    messages: [{ kind: 'warning' as const, code: 'x', message: text, target: text, fields: {} }],
    steps: plan.steps.map((step) => ({ ...step, why: [text, text], container: text as never })),
    skipped: [text as never],
  }
}

const files = (text: string) => new Map([['store', [`+${text}`, `only now: ${text}`, '@@ 1 @@']]])

describe.each(FORGERIES)('a plan with %j', (text) => {
  test.each(['order', 'target'] as const)('has the lines of any other, by %s', (by) => {
    for (const columns of [undefined, 1_000_000]) {
      const shown = (one: string) =>
        renderText(planWith(one), { by, fold: false, columns, colours: false, files: files(one) })
      expect(forgeriesIn(shown(text), shown('plain'))).toEqual([])
    }
    const shown = (one: string) => renderMarkdown(planWith(one), { by, fold: false, files: files(one) })
    expect(forgeriesIn(shown(text), shown('plain'))).toEqual([])
  })
})

test.each([
  ['https://evil.example', String.raw`https\://evil.example`],
  ['see www.evil.example', String.raw`see www\.evil.example`],
  ['[a](https://evil.example)', String.raw`\[a\](https\://evil.example)`],
  ['![a](b)', String.raw`!\[a\](b)`],
  ['<a href=x>', String.raw`\<a href=x\>`],
  ['</details>', String.raw`\</details\>`],
  ['a | b', String.raw`a \| b`],
  ['`code`', String.raw`\`code\``],
  ['@team #12 !34 %5 $6 ~7 &8', String.raw`\@team \#12 \!34 \%5 \$6 \~7 \&8`],
])('%j stays text in Markdown', (message, shown) => {
  const plan = { ...changeOfAll(), messages: [{ kind: 'note' as const, code: 'x', message }] }
  expect(renderMarkdown(plan, { by: 'order', fold: true }).split('\n')).toContain(`- ${shown}`)
})

test.each([
  ['- item', String.raw`- \- item`],
  ['1. item', String.raw`- 1\. item`],
  ['+ item', String.raw`- \+ item`],
])('%j begins no list of its own', (message, shown) => {
  const plan = { ...changeOfAll(), messages: [{ kind: 'note' as const, code: 'x', message }] }
  expect(renderMarkdown(plan, { by: 'order', fold: true }).split('\n')).toContain(shown)
})
