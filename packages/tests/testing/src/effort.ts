import { appendFileSync } from 'node:fs'
import { TEST_LIMIT } from './wait.ts'

/** Whether tests try many more cases (DAVIT_TEST_THOROUGH=1). */
export const isThorough = Boolean(process.env['DAVIT_TEST_THOROUGH'])
const FACTOR = isThorough ? 50 : 0.5

/** Options of tests and groups whose time limit grows with the number of runs. */
export const patience = { timeout: TEST_LIMIT * Math.max(1, FACTOR) } as const

export function runs(count: number): { readonly numRuns: number } {
  return { numRuns: Math.ceil(count * FACTOR) }
}

/** Prints how much a test file has tried; scripts/test repeats it at its end. */
export function tellFigure(figure: string): void {
  console.info(figure)
  const { DAVIT_TEST_FIGURES: file = '' } = process.env
  if (file !== '') appendFileSync(file, `${figure}\n`)
}
