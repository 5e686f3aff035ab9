import type { Inventory } from '@davit/inventory'
import { FORGERIES, forgeriesIn } from '@davit/testing/hostile'
import { expect, test } from 'vitest'

import { renderInventory } from '../src/render-inventory.ts'
import { renderContainers, renderServices } from '../src/render-lists.ts'

function inventoryWith(text: string): Inventory {
  const name = text as never
  const drift = [{ kind: 'damaged' as const, problem: text }]
  const instance = { service: text, key: name, container: name, pkg: name, state: 'active' as const, drift }
  const target = { target: name, instances: [instance], drift: [{ kind: 'bad-profile' as const, problem: text }] }
  return { profile: name, targets: [target, { target: name, instances: [], drift: [] }] }
}

test.each(FORGERIES)('an inventory with %j has the lines of any other', (text) => {
  for (const render of [renderServices, renderContainers, (one: Inventory) => renderInventory(one, { columns: 60 })])
    expect(forgeriesIn(render(inventoryWith(text)), render(inventoryWith('plain')))).toEqual([])
})
