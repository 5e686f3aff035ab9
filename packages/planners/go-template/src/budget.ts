import { ActionFailure } from './template-error.ts'

/** In bytes of UTF-8. */
const MAX_OUTPUT = 16 * 1024 * 1024
const MAX_STEPS = 10_000_000
/** In UTF-16 units: all text and lists that are made on the way, so that variables cannot fill the memory. */
const MAX_MADE = 128 * 1024 * 1024

/** What an expansion may still do. It is shared by everything that it includes. */
export interface Budget {
  steps: number
  made: number
  /** What is wrong when no step is left. */
  readonly exceeded: string
}

/** Steps that are left for all expansions of a caller. */
export interface AllSteps {
  left: number
}

const MAX_ALL_STEPS = 100_000_000

export function allSteps(): AllSteps {
  return { left: MAX_ALL_STEPS }
}

export function fullBudget({ left }: AllSteps = allSteps()): Budget {
  const exceeded =
    left < MAX_STEPS
      ? 'all templates together take more than 100 million steps'
      : 'the template takes more than 10 million steps'
  return { steps: Math.min(left, MAX_STEPS), made: MAX_MADE, exceeded }
}

export function spendSteps(budget: Budget, steps: number): void {
  budget.steps -= steps
  if (budget.steps < 0) {
    throw new ActionFailure(budget.exceeded, 'look for a range that never ends')
  }
}

/** Reading long text takes time: so many units count as a step. */
const UNITS_PER_STEP = 256

/** Accounts for text that is copied, compared or searched. */
export function spendReading(budget: Budget, length: number): void {
  spendSteps(budget, Math.floor(length / UNITS_PER_STEP))
}

/** Accounts for text whose characters are looked at one after the other. */
export function spendCharacters(budget: Budget, length: number): void {
  spendSteps(budget, Math.ceil(length / 2))
}

/** Room that a piece of output or an element of a list takes, in units of text. */
export const PIECE = 32

/** Checks the length of a text before it is made. */
export function checkLength(length: number): void {
  if (length > MAX_OUTPUT) throw new ActionFailure('the text would be longer than 16 MiB')
}

/** Accounts for text of a length. */
export function spendText(budget: Budget, length: number): void {
  checkLength(length)
  budget.made -= length
  if (budget.made < 0) throw new ActionFailure('the template makes more than 128 MiB of text on its way')
}

/** Checks the size of the output so far. */
export function checkOutput(bytes: number): void {
  if (bytes > MAX_OUTPUT) throw new ActionFailure('the template prints more than 16 MiB')
}
