import { printableLine } from '@davit/diagnostics'

export interface TableLayout {
  /** Columns of the terminal; without it, the table is as wide as it becomes. */
  readonly columns?: number | undefined
  /** Indexes of columns that are left out, one after the other, while the table is too wide. */
  readonly dispensable?: readonly number[]
}

/**
 * Renders rows as a table, with two spaces between columns; the first row is the head. If it is still wider than the terminal without
 * what is dispensable, the widest cells lose their middle, but no column becomes narrower than its head.
 */
export function renderTable(given: readonly Row[], { columns, dispensable = [] }: TableLayout = {}): string {
  const rows = given.map((row) => row.map(printableLine))
  const [head = []] = rows
  const natural = head.map((_, index) => rows.reduce((most, row) => Math.max(most, lengthOf(row[index] ?? '')), 0))
  const shown = columnsThatFit(natural, { columns, dispensable })
  const only = <Item>(items: readonly Item[]) => shown.flatMap((index) => items.slice(index, index + 1))
  const room = columns === undefined ? Number.POSITIVE_INFINITY : columns - GAP.length * (shown.length - 1)
  const widths = narrowed(only(natural), only(head).map(lengthOf), room)
  const lines = rows.map((row) => only(row).map((cell, index) => fitted(cell, widths[index] ?? 0)))
  return lines.map((cells) => `${cells.join(GAP).trimEnd()}\n`).join('')
}

type Row = readonly string[]

const GAP = '  '
const ELLIPSIS = '…'

function columnsThatFit(natural: readonly number[], { columns, dispensable = [] }: TableLayout): readonly number[] {
  let shown = natural.map((_, index) => index)
  if (columns === undefined) return shown
  const width = () => sum(shown.map((index) => natural[index] ?? 0)) + GAP.length * (shown.length - 1)
  for (const index of dispensable) if (width() > columns) shown = shown.filter((one) => one !== index)
  return shown
}

/** Takes from the widest columns until all fit into the room, or each is as narrow as it may become. */
function narrowed(natural: readonly number[], least: readonly number[], room: number): readonly number[] {
  const widths = [...natural]
  for (let excess = sum(widths) - room; excess > 0; excess -= 1) {
    const widest = widestOf(widths, least)
    if (widest === undefined) break
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return widths
}

/** Index of the widest column that may become narrower; undefined if none may. */
function widestOf(widths: readonly number[], least: readonly number[]): number | undefined {
  const [widest] = widths
    .map((width, index) => ({ width, index }))
    .filter(({ width, index }) => width > (least[index] ?? 0))
    .toSorted((left, right) => right.width - left.width)
  return widest?.index
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}

/** Fills a cell with spaces, or takes out its middle: the beginning and the end of a name tell most. */
function fitted(cell: string, width: number): string {
  const characters = Array.from(cell)
  if (characters.length <= width) return cell + ' '.repeat(width - characters.length)
  const before = Math.ceil((width - 1) / 2)
  const after = width - 1 - before
  return [...characters.slice(0, before), ELLIPSIS, ...(after === 0 ? [] : characters.slice(-after))].join('')
}

function lengthOf(cell: string): number {
  return Array.from(cell).length
}
