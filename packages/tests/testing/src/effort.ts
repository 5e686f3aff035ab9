import { appendFileSync } from 'node:fs'

/** More of the same for whoever has time: DAVIT_TEST_THOROUGH=1. */
export const isThorough = Boolean(process.env['DAVIT_TEST_THOROUGH'])
const FACTOR = isThorough ? 50 : 0.5

/** For tests and groups of them. */
export const patience = { timeout: 60_000 * Math.max(1, FACTOR) } as const

export function runs(count: number): { readonly numRuns: number } {
  return { numRuns: Math.ceil(count * FACTOR) }
}

/** How much a file of tests has tried: printed, and told once more at the end of scripts/test. */
export function tellFigure(figure: string): void {
  console.info(figure)
  const { DAVIT_TEST_FIGURES: file = '' } = process.env
  if (file !== '') appendFileSync(file, `${figure}\n`)
}
