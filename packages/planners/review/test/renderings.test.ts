import { observedOf, type StatefulService } from '@davit/transition'
import { manifestOf, type SystemSpec } from '@davit/transition/testing'
import { describe, expect, test } from 'vitest'

import { changedPackages, renderMarkdown, renderText } from '../src/review.ts'
import { namesText } from '../src/row-text.ts'
import { changeOfAll, manyServices, planOf, planTo } from './plans.ts'

const PLANS = { change: changeOfAll(), many: manyServices() } as const
const names = Object.keys(PLANS) as (keyof typeof PLANS)[]
const SAME: SystemSpec = { services: { web: { on: ['t/process'] } } }
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
    expect(folded).not.toMatch(/^. (snapshot|transfer|restore) /m)
    const single = renderText(plan, { by: 'order', fold: false, colours: false })
    expect(single).toContain('> transfer the state of orders in mysql to db2 from db1 (moved to db2)\n')
    expect(single).toContain('> restore orders in mysql on db2 (moved from db1)\n')
  })

  test('says so if there is nothing to do', () => {
    expect(renderText(planOf(SAME, SAME), { by: 'order', fold: true, colours: true })).toBe('nothing to do\n')
  })

  test('shows the lines of files as they are, however long, in the colours of their signs', () => {
    const long = `+${'new  words '.repeat(20)}`
    const files = new Map([['store', ['@@ -1 +1 @@', '-old', long, ' \u001b[2J']]])
    const text = renderText(PLANS.change, { by: 'order', fold: true, columns: 40, colours: true, files })
    expect(text).toContain(
      [
        '\u001b[36m    @@ -1 +1 @@\u001b[m',
        '\u001b[31m    -old\u001b[m',
        `\u001b[32m    ${long}\u001b[m`,
        '     \\u001b[2J',
        '',
      ].join('\n'),
    )
    expect(changedPackages(PLANS.change).map(({ service }) => service)).toEqual(['store'])
  })

  test('tells how a provided container changes, in services that have no step as well', () => {
    const [before, after] = [
      { port: '1', old: 'x' },
      { port: '2', added: 'y' },
    ].map((properties) => {
      const manifest = manifestOf(SAME)
      const provides = new Map([['box', new Map(Object.entries(properties))]]) as never
      const services = [...manifest.services].map(
        ([key, one]) => [key, { ...one, providesContainers: provides }] as const,
      )
      return { ...manifest, services: new Map(services) }
    })
    const text = renderText(planTo(after!, before!), { by: 'order', fold: true, colours: false })
    expect(text).toContain(`service web changes
  + provides container box/added
  - provides container box/old
  ~ provides container box/port
`)
  })

  test('names all steps of a chain of six, and of a longer one the ends', () => {
    const services = (count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, at) => [
          `s${at}`,
          { on: ['t/process'], dependsOn: at === 0 ? [] : [`s${at - 1}`] },
        ]),
      )
    const chainOf = (count: number) =>
      renderText(planOf({ services: {} }, { services: services(count) }), { by: 'order', fold: true, colours: false })
    const names = [0, 1, 2, 3, 4, 5].map((at) => `activate s${at}`)
    expect(chainOf(6)).toContain(`longest chain: 6 steps: ${names.join(' → ')}\n`)
    expect(chainOf(7)).toContain(
      `longest chain: 7 steps: ${[...names.slice(0, 4), '2 more', 'activate s6'].join(' → ')}\n`,
    )
  })

  test('has a chain of two steps, but none of one', () => {
    const one = { services: { web: { on: ['t/process'] } } }
    const none = { services: {} }
    const options = { by: 'order', fold: true, colours: false } as const
    expect(renderText(planOf(none, one), options)).not.toContain('longest chain')
    const two = { services: { ...one.services, page: { on: ['t/process'], dependsOn: ['web'] } } }
    expect(renderText(planOf(none, two), options)).toContain('longest chain: 2 steps: activate web → activate page\n')
  })
})

test.each([
  ['', []],
  ['a', ['a']],
  ['a and b', ['a', 'b']],
  ['a, b and c', ['a', 'b', 'c']],
  ['4 targets', ['a', 'b', 'c', 'd']],
])("namesText() is '%s' for %j", (text, targets) => {
  expect(namesText(targets)).toBe(text)
})

describe('renderMarkdown()', () => {
  test.each(['order', 'target'] as const)('makes a table by %s', async (by) => {
    const text = renderMarkdown(PLANS.change, { by, fold: true })
    await expect(text).toMatchFileSnapshot(golden(`change-by-${by}.md`))
  })

  test('has neither table nor details if there is nothing to do', () => {
    expect(renderMarkdown(planOf(SAME, SAME), { by: 'order', fold: true })).toBe(
      String.raw`### Plan for shop: nothing to do` + '\n',
    )
  })

  test('names few targets, and many behind their number', () => {
    const on = (count: number) => ['a', 'b', 'c', 'd'].slice(0, count).map((name) => `${name}/process`)
    const plan = planOf({ services: {} }, { services: { few: { on: on(2) }, many: { on: on(4) } } })
    const text = renderMarkdown(plan, { by: 'order', fold: true })
    expect(text).toContain('| activate few in process | a and b | new |')
    expect(text).toContain('| activate many in process | 4: a, b, c, d | new |')
  })

  test('lets no text be taken for markup', () => {
    const message = 'a | b <img src=x> `code` [link](u) @all \u001b]0;t\u0007 \n # head'
    const plan = { ...PLANS.change, messages: [{ kind: 'note' as const, code: 'x', message }] }
    const line = renderMarkdown(plan, { by: 'order', fold: true })
      .split('\n')
      .find((one) => one.startsWith('- a '))
    expect(line).toBe(String.raw`- a \| b \<img src=x\> \`code\` \[link\](u) \@all \\u001b\]0;t\\u0007 \\n # head`)
  })
})
