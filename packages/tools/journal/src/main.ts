import { generationNumbers, nothingDeployed, type ReadJournal, readJournal } from '@davit/coordinator-state'
import type { Report } from '@davit/diagnostics'
import { defineTool, deploymentOf, parseSince } from '@davit/tool'

import { description } from './description.ts'
import { fateFrom } from './fate-of.ts'
import { say } from './messages.ts'
import { renderRuns } from './render-runs.ts'
import { type Run, runsOf } from './runs-of.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, print, report } = context
    const { profile, place } = deploymentOf(context)
    const since = args.since === undefined ? undefined : parseSince(args.since, new Date())
    const journal = await readJournal(place)
    tellDamage(journal, report)
    if (journal.entries.length === 0) {
      const isKnown = (await generationNumbers(place)).length > 0
      report(say('no-journal', { profile, reason: isKnown ? undefined : await nothingDeployed(place) }))
    }
    const all = runsOf(journal.entries).filter(({ time }) => since === undefined || time >= since)
    const runs = args.number === undefined ? all : all.slice(-args.number)
    if (args.format === 'json') return print(linesOf(runs))
    return print(renderRuns(runs, fateFrom(), args.verbose ? 'verbose' : 'normal'))
  },
})

function linesOf(runs: readonly Run[]): string {
  return runs.flatMap(({ read }) => read.map(({ line }) => `${line}\n`)).join('')
}

/** Warns of lines that a crash or a full disk has cut off. */
function tellDamage({ damaged }: ReadJournal, report: Report): void {
  for (const { file, line } of damaged) report(say('journal-damaged', { file, line }))
}
