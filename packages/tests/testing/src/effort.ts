import { appendFileSync } from 'node:fs'
import { TEST_LIMIT } from './wait.ts'

/** Whether tests try many more cases (DAVIT_TEST_THOROUGH=1). */
export const isThorough = Boolean(process.env['DAVIT_TEST_THOROUGH'])
/** Whether tests leave out nothing that they otherwise sample (DAVIT_TEST_ALL=yes). */
export const isExhaustive = Boolean(process.env['DAVIT_TEST_ALL'])
const FACTOR = isThorough ? 50 : 0.25

/** Options of tests and groups whose time limit grows with the number of runs. */
export const patience = { timeout: TEST_LIMIT * Math.max(1, FACTOR) } as const

export function runs(count: number): { readonly numRuns: number } {
  return { numRuns: Math.ceil(count * FACTOR) }
}

/** Returns all cases with DAVIT_TEST_ALL or DAVIT_TEST_THOROUGH, and otherwise as many in a row, from a random one on. */
export function sampleOf<Case>(cases: readonly Case[], count: number): readonly Case[] {
  if (isExhaustive || isThorough) return cases
  const begin = Math.floor(Math.random() * cases.length)
  return [...cases.slice(begin), ...cases.slice(0, begin)].slice(0, count)
}

/** Prints how much a test file has tried; scripts/test repeats it at its end. */
export function tellFigure(figure: string): void {
  console.info(figure)
  const { DAVIT_TEST_FIGURES: file = '' } = process.env
  if (file !== '') appendFileSync(file, `${figure}\n`)
}
