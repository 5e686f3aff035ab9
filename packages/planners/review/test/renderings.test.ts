import { observedOf, type StatefulService } from '@davit/transition'
import { manifestOf, type SystemSpec } from '@davit/transition/testing'
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

/** Services of a system with their state. */
function placed(system: SystemSpec): readonly StatefulService[] {
  return observedOf(manifestOf(system), manifestOf(system).infrastructure)
    .map(({ mapping, service }) => ({ mapping, service, component: service.name }))
    .toSorted((left, right) => (left.component > right.component ? -1 : 1))
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

  test('shows what moves the state of a service as one line, and where it goes', () => {
    const before = { services: { orders: { on: ['db1/mysql'] }, old: { on: ['db1/mysql'] } } }
    const after = { services: { orders: { on: ['db2/mysql'] } } }
    const [orders, old] = placed(before)
    const [moved] = placed(after)
    const moves = [
      { from: orders, to: moved },
      { from: old, to: undefined },
    ]
    const plan = planOf(before, after, { state: { moves, pending: [], restoresFirst: new Set() } })
    const folded = renderText(plan, { by: 'order', fold: true, colours: false })
    expect(folded).toContain(`- deactivate old in mysql on db1 (removed)
- deactivate orders in mysql on db1 (moved to db2)
> move the state of old in mysql from db1 to the coordinator (removed)
> move the state of orders in mysql from db1 to db2 (moved to db2)
+ activate orders in mysql on db2 (moved from db1)
`)
    expect(folded).toContain('1 to activate, 2 to deactivate, 2 whose state moves, on 2 targets\n')
    const single = renderText(plan, { by: 'order', fold: false, colours: false })
    expect(single).toContain('> transfer the state of orders in mysql to db2 from db1 (moved to db2)\n')
    expect(single).toContain('> restore orders in mysql on db2 (moved from db1)\n')
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
