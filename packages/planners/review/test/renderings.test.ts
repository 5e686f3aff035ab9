import { describe, expect, test } from 'vitest'

import { renderMarkdown, renderText } from '../src/review.ts'
import { changeOfAll, manyServices, planOf } from './plans.ts'

const PLANS = { change: changeOfAll(), many: manyServices() } as const
const names = Object.keys(PLANS) as (keyof typeof PLANS)[]
const golden = (name: string) => `fixtures/${name}`

/** Of a long text the beginning and the end. */
function ends(text: string): string {
  const lines = text.split('\n')
  return lines.length <= 60 ? text : [...lines.slice(0, 20), '…', ...lines.slice(-20)].join('\n')
}

describe('renderText()', () => {
  test.each(
    names.flatMap((plan) =>
      (['order', 'target'] as const).flatMap((by) => [40, 80, 200].map((columns) => [plan, by, columns] as const)),
    ),
  )('shows %s by %s in %s columns', async (plan, by, columns) => {
    const text = renderText(PLANS[plan], { by, fold: true, columns, colours: false })
    await expect(ends(text)).toMatchFileSnapshot(golden(`${plan}-by-${by}-${columns}.txt`))
    const widest = Math.max(...text.split('\n').map((line) => line.length))
    const longestWord = Math.max(...text.split(/\s/).map((word) => word.length))
    expect(widest).toBeLessThanOrEqual(Math.max(columns, longestWord + 6))
  })

  test('shows each step without folding, and colours that say what signs say', async () => {
    const text = renderText(PLANS.change, { by: 'order', fold: false, columns: 80, colours: true })
    await expect(text.replaceAll('\u001b', 'ESC')).toMatchFileSnapshot(golden('change-coloured.txt'))
    const plain = renderText(PLANS.change, { by: 'order', fold: false, columns: 80, colours: false })
    expect(text.replaceAll(/\u001b\[\d*m/g, '')).toBe(plain)
  })

  test('shows no control character, wherever it comes from', () => {
    for (const by of ['order', 'target'] as const)
      expect(renderText(PLANS.change, { by, fold: true, colours: false })).not.toMatch(/[^\P{Cc}\n]/u)
  })

  test('says so if there is nothing to do', () => {
    const same = { services: { web: { on: ['t/process'] } } }
    expect(renderText(planOf(same, same), { by: 'order', fold: true, colours: true })).toBe('nothing to do\n')
  })
})

describe('renderMarkdown()', () => {
  test.each(['order', 'target'] as const)('makes a table by %s', async (by) => {
    const text = renderMarkdown(PLANS.change, { by, fold: true })
    await expect(text).toMatchFileSnapshot(golden(`change-by-${by}.md`))
  })

  test('lets no text be taken for markup', () => {
    const message = 'a | b <img src=x> `code` [link](u) @all \u001b]0;t\u0007 \n # head'
    const plan = { ...PLANS.change, messages: [{ kind: 'note' as const, code: 'x', message }] }
    const line = renderMarkdown(plan, { by: 'order', fold: true })
      .split('\n')
      .find((one) => one.startsWith('- a '))
    expect(line).toBe(String.raw`- a \| b \<img src=x\> \`code\` \[link\](u) \@all \\u001b\]0;t\\u0007   # head`)
  })
})
