import { printableLines } from '@davit/diagnostics'
import { componentIn } from '@davit/documents'
import type { Instance, Inventory } from '@davit/inventory'
import { renderTable } from '@davit/tool'

import { driftNotes } from './drift-notes.ts'

/** Columns of the terminal; undefined if there is none. */
export interface Width {
  readonly columns?: number | undefined
}

const HEAD = ['TARGET', 'CONTAINER', 'SERVICE', 'PACKAGE', 'STATE', 'SINCE'] as const
/** Columns that a narrow terminal does without. */
const LEAST_IMPORTANT = [HEAD.indexOf('SINCE'), HEAD.indexOf('PACKAGE')]

/** Renders a table with a row for each instance, and below it what is not as it should be. */
export function renderInventory(inventory: Inventory, { columns }: Width): string {
  const rows = inventory.targets.flatMap(({ target, instances, error }) => {
    if (error !== undefined) return [[target, '', '', '', 'cannot be asked', '']]
    if (instances.length === 0) return [[target, '', '', '', 'nothing', '']]
    return instances.map((instance) => [target, ...cellsOf(instance)])
  })
  const notes = driftNotes(inventory)
  const text = notes.length === 0 ? '' : `\n${printableLines(notes)}`
  return `${renderTable([HEAD, ...rows], { columns, dispensable: LEAST_IMPORTANT })}${text}`
}

function cellsOf({ container, service, pkg, since, ...instance }: Instance): readonly string[] {
  return [container, service, pkg === undefined ? '' : componentIn(pkg), stateText(instance), timeText(since)]
}

function stateText({
  state,
  activity,
  status,
  drift,
}: Pick<Instance, 'state' | 'activity' | 'status' | 'drift'>): string {
  if (activity !== undefined) return `${activity} runs`
  const [first] = drift
  if (first !== undefined) return WORDS[first.kind]
  return status === 'runs' ? 'runs' : (state ?? '')
}

/** Words for the table; the whole reason stands below it. */
const WORDS = {
  died: 'does not run',
  unknown: 'unknown',
  rebooted: 'not restarted',
  'cut-off': 'cut off',
  failed: 'failed',
  damaged: 'damaged',
  'package-missing': 'no package',
  changed: 'changed',
  missing: 'missing',
  unrecorded: 'no record',
  unexpected: 'unexpected',
} as const satisfies Record<Instance['drift'][number]['kind'], string>

function timeText(time: Date | undefined): string {
  return time === undefined ? '' : time.toISOString().slice(0, 19).replace('T', ' ')
}
