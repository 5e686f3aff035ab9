import { printableLines } from '@davit/diagnostics'
import type { Instance, Inventory, TargetInventory } from '@davit/inventory'

import { driftNotes } from './drift-notes.ts'

/** Renders the packages of each target. */
export function renderServices(inventory: Inventory): string {
  return renderTargets(inventory, ({ instances }) =>
    instances.filter(isThere).map(({ pkg, service }) => `  ${pkg ?? `${service}, whose record is damaged`}`),
  )
}

/** Renders the services in each container of each target. */
export function renderContainers(inventory: Inventory): string {
  return renderTargets(inventory, ({ instances }) => {
    const there = instances.filter(isThere)
    const containers = [...new Set(there.map(({ container }) => container))]
    return containers.flatMap((container) => [
      `  ${container}`,
      ...there.filter((one) => one.container === container).map(({ service }) => `    ${service}`),
    ])
  })
}

function renderTargets(inventory: Inventory, linesOf: (target: TargetInventory) => readonly string[]): string {
  const lines = inventory.targets
    .filter(({ error }) => error === undefined)
    .flatMap((target) => [target.target, ...linesOf(target)])
  return printableLines([...lines, ...driftNotes(inventory)])
}

function isThere({ state }: Instance): boolean {
  return state !== undefined
}
