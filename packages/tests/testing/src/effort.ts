import { createHash } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { inspect } from 'node:util'

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

const { DAVIT_TEST_SEED: SEED = '' } = process.env

/** Returns a number below a limit, which DAVIT_TEST_SEED and what it is for determine. */
export function chosen(limit: number, purpose: string): number {
  return createHash('sha256').update(`${SEED} ${purpose}`).digest().readUInt32BE() % limit
}

/** Returns all cases with DAVIT_TEST_ALL or DAVIT_TEST_THOROUGH, and otherwise as many in a row; DAVIT_TEST_SEED says from which one on. */
export function sampleOf<Case>(cases: readonly Case[], count: number): readonly Case[] {
  if (isExhaustive || isThorough) return cases
  const begin = chosen(Math.max(1, cases.length), inspect(cases, { depth: 2, breakLength: Infinity }))
  return [...cases.slice(begin), ...cases.slice(0, begin)].slice(0, count)
}

/** Prints how much a test file has tried; scripts/test repeats it at its end. */
export function tellFigure(figure: string): void {
  console.info(figure)
  const { DAVIT_TEST_FIGURES: file = '' } = process.env
  if (file !== '') appendFileSync(file, `${figure}\n`)
}
