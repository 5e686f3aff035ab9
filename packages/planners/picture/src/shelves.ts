export interface Size {
  readonly width: number
  readonly height: number
}

export interface Point {
  readonly x: number
  readonly y: number
}

export interface Shelved {
  /** Upper left corners, in the order of the items. */
  readonly places: readonly Point[]
  readonly size: Size
}

export interface ShelfOptions {
  readonly gap: number
  /** Width divided by height that the whole should have about. */
  readonly aspect: number
}

/** Puts boxes side by side in rows, in their order. */
export function shelve(items: readonly Size[], options: ShelfOptions): Shelved {
  const { gap } = options
  const limit = widthFor(items, options)
  const places: Point[] = []
  let [x, y, rowHeight, width] = [0, 0, 0, 0]
  for (const item of items) {
    if (x > 0 && x + item.width > limit) [x, y, rowHeight] = [0, y + rowHeight + gap, 0]
    places.push({ x, y })
    width = Math.max(width, x + item.width)
    rowHeight = Math.max(rowHeight, item.height)
    x += item.width + gap
  }
  return { places, size: { width, height: y + rowHeight } }
}

/** Puts boxes into columns that are as wide as the widest box, row by row. */
export function tabulate(items: readonly Size[], options: ShelfOptions): Shelved & { readonly column: number } {
  const { gap } = options
  const column = largest(items, ({ width }) => width)
  const cells = items.map(({ height }) => ({ width: column, height }))
  const fitting = Math.round((widthFor(cells, options) + gap) / (column + gap))
  const columns = Math.max(1, Math.min(items.length, fitting))
  const places: Point[] = []
  let y = 0
  for (let first = 0; first < items.length; first += columns) {
    const row = items.slice(first, first + columns)
    places.push(...row.map((_, index) => ({ x: index * (column + gap), y })))
    y += largest(row, ({ height }) => height) + gap
  }
  return { places, column, size: { width: columns * (column + gap) - gap, height: y - gap } }
}

function widthFor(items: readonly Size[], { gap, aspect }: ShelfOptions): number {
  let area = 0
  for (const { width, height } of items) area += (width + gap) * (height + gap)
  return Math.max(
    largest(items, ({ width }) => width),
    Math.sqrt(area * aspect),
  )
}

function largest<Item>(items: readonly Item[], sizeOf: (item: Item) => number): number {
  return items.reduce((most, item) => Math.max(most, sizeOf(item)), 0)
}
