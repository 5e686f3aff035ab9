import { type Budget, checkLength, spendSteps } from '../budget.ts'
import { ActionFailure } from '../template-error.ts'

/** Collects text of bounded length, from values of bounded depth. */
export interface TextBuilder {
  readonly budget: Budget
  add(text: string): void
  /** Accounts for text that is made elsewhere. */
  reserve(length: number): void
  /** Writes what is within a list or map. */
  within(write: () => void): void
  text(): string
}

/** A list or map costs more than a step, since its value may occur in many places. */
const STEPS = 8

/** Text is copied: 64 units count as a step. */
const UNITS_PER_STEP = 6

/** Values within each other; every level takes some of the stack. */
const MAX_DEPTH = 500

export function textBuilder(budget: Budget): TextBuilder {
  let [result, length, depth] = ['', 0, 0]
  const reserve = (more: number) => {
    length += more
    checkLength(length)
  }
  return {
    budget,
    reserve,
    add(text) {
      reserve(text.length)
      spendSteps(budget, 1 + (text.length >>> UNITS_PER_STEP))
      result += text
    },
    within(write) {
      if (depth >= MAX_DEPTH) throw new ActionFailure(`more than ${MAX_DEPTH} lists and maps within each other`)
      depth += 1
      spendSteps(budget, STEPS)
      write()
      depth -= 1
    },
    text: () => result,
  }
}

/** Writes a list or map with something between its elements. */
export function addSeparated<Item>(
  builder: TextBuilder,
  { items, separator }: { readonly items: Iterable<Item>; readonly separator: string },
  add: (item: Item) => void,
): void {
  let isFirst = true
  for (const item of items) {
    if (!isFirst) builder.add(separator)
    isFirst = false
    add(item)
  }
}
