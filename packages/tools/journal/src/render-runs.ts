import { printableLine, renderTime } from '@davit/diagnostics'

import { renderEntries } from './render-entries.ts'
import type { Run } from './runs-of.ts'
import { type Fate, type RunSummary, summaryOf } from './summary-of.ts'

/** Renders a line for each run, followed by what happened in it if verbose. */
export function renderRuns(runs: readonly Run[], fate: Fate, verbosity: 'normal' | 'verbose'): string {
  const summaries = runs.map((run) => [run, summaryOf(run, fate)] as const)
  const widthOf = (texts: readonly string[]) => texts.reduce((width, { length }) => Math.max(width, length), 0)
  const widths = {
    who: widthOf(summaries.map(([, { who }]) => who)),
    program: widthOf(summaries.map(([, { program }]) => program)),
  }
  return summaries
    .map(([run, summary]) => {
      const below = verbosity === 'verbose' ? renderEntries(run, fate) : []
      return [renderSummary(summary, widths), ...below].map((line) => `${line}\n`).join('')
    })
    .join('')
}

interface Widths {
  readonly who: number
  readonly program: number
}

function renderSummary({ time, who, program, done, outcome, generation }: RunSummary, widths: Widths): string {
  const parts = [done, outcome, generation === undefined ? '' : `generation ${generation}`]
  const text = parts.filter((part) => part !== '').join('; ')
  const line = `${renderTime(time)}  ${who.padEnd(widths.who)}  ${program.padEnd(widths.program)}  ${text}`
  return printableLine(line)
}
