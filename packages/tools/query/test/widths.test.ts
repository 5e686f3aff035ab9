import type { Drift, Instance, Inventory } from '@davit/inventory'
import { describe, expect, test } from 'vitest'

import { renderContainers, renderServices } from '../src/render-lists.ts'
import { renderInventory } from '../src/render-inventory.ts'

const DRIFTS: readonly (readonly Drift[])[] = [
  [],
  [],
  [{ kind: 'died' }],
  [],
  [{ kind: 'cut-off', activity: 'deactivate' }],
  [],
  [],
  [{ kind: 'missing' }, { kind: 'damaged', problem: 'it lacks pkg' }],
]
const NAMES = ['web', 'api', 'a-service-with-a-rather-long-name', 'queue-worker', 'größe', 'db', 'cache'] as const

/** An inventory with as many instances as there are rows, ten on each target, and two targets more. */
function inventoryOf(rows: number): Inventory {
  const targets = Array.from({ length: Math.ceil(rows / 10) }, (_, index) => ({
    target: `${index % 3 === 0 ? 'a-target-in-another-place-' : 't'}${index}` as never,
    instances: Array.from({ length: Math.min(10, rows - index * 10) }, (__, place) => instanceOf(index * 10 + place)),
    drift: index === 1 ? [{ kind: 'bad-profile' as const, problem: 'its profile manifest is empty' }] : [],
  }))
  const error = { code: 'unreachable', message: 'cannot reach it' } as never
  const others = [
    { target: 'away' as never, error, instances: [], drift: [] },
    { target: 'empty' as never, instances: [], drift: [] },
  ]
  return { profile: 'default' as never, targets: [...targets, ...others] }
}

function instanceOf(index: number): Instance {
  const service = NAMES[index % NAMES.length] ?? ''
  const drift = DRIFTS[index % DRIFTS.length] ?? []
  return {
    service,
    key: String(index) as never,
    container: (index % 4 === 0 ? 'apache-webapplication' : 'process') as never,
    pkg: `/store/${'0'.repeat(32)}-${service}-1.${index}` as never,
    ...(drift.some(({ kind }) => kind === 'missing') ? {} : { state: 'active' as const }),
    ...(index % 5 === 0 ? { status: 'runs' as const } : {}),
    ...(index % 9 === 0 ? { activity: 'restore' } : {}),
    since: new Date(Date.UTC(2026, 0, 1, 0, 0, index)),
    drift,
  }
}

const widthOf = (text: string) =>
  Math.max(
    ...text
      .split('\n\n')[0]!
      .split('\n')
      .map((line) => Array.from(line).length),
  )

describe('the table of davit-query', () => {
  test.each([[40], [80], [200], [undefined]])('is as wide as a terminal of %s columns', async (columns) => {
    const text = renderInventory(inventoryOf(24), { columns })
    expect(widthOf(text)).toBeLessThanOrEqual(columns ?? 200)
    await expect(text).toMatchFileSnapshot(`golden/table-${columns ?? 'file'}.txt`)
  })

  test('has 500 rows', async () => {
    const text = renderInventory(inventoryOf(500), { columns: 80 })
    expect(widthOf(text)).toBeLessThanOrEqual(80)
    // The head, 500 services, and two targets without any.
    expect(text.split('\n\n')[0]!.split('\n')).toHaveLength(503)
    await expect(text).toMatchFileSnapshot('golden/table-500-rows.txt')
  })

  test.each([
    ['services', renderServices],
    ['containers', renderContainers],
  ] as const)('is not used for %s', async (name, render) => {
    await expect(render(inventoryOf(24))).toMatchFileSnapshot(`golden/${name}.txt`)
  })
})
