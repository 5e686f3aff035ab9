import { generationNumbers, nothingDeployed, type ReadJournal, readJournal } from '@davit/coordinator-state'
import type { Report } from '@davit/diagnostics'
import { defineTool, deploymentOf, profileOptions, stateEnvironment } from '@davit/tool'

import { fateFrom } from './fate-of.ts'
import { say } from './messages.ts'
import { renderRuns } from './render-runs.ts'
import { type Run, runsOf } from './runs-of.ts'
import { parseSince } from './since.ts'

export const tool = defineTool({
  name: 'davit-journal',
  summary: 'Print what was done to a deployment from this coordinator, by whom, and how it ended',
  description: [
    'Prints a line for each run, newest last: when it began (UTC), who ran what, how many services were activated and deactivated, how it ended, and which generation resulted. The steps of one davit-env are one run; so are those of a command under davit-lock, and those with the same DAVIT_RUN.',
    "A run without an end was killed, or its machine crashed ('did not end'), or it 'still runs'; if this cannot be determined from here, it 'has not ended'.",
    'The journal is a report; nothing depends on it. It contains what tools have reported, but neither options nor properties of containers. When it is larger than 8 MiB, the older half is removed.',
  ],
  examples: [
    { command: 'davit-journal -n 10', describe: 'the last ten runs' },
    { command: 'davit-journal -n 1 -v', describe: 'what the last run did and reported' },
    { command: 'davit-journal --since 2d --format json', describe: 'entries for programs, one per line' },
  ],
  options: {
    ...profileOptions,
    number: { type: 'integer', short: 'n', value: 'N', minimum: 1, describe: 'only the last N runs' },
    since: {
      type: 'string',
      value: 'TIME',
      describe: 'only runs that began since then: 2d, 3h or 30m ago, or a day or time in UTC, such as 2026-11-21',
    },
    format: {
      type: 'choice',
      choices: ['text', 'json'],
      default: 'text',
      describe: 'json prints the entries of the runs unchanged, one per line',
    },
    verbose: { type: 'boolean', short: 'v', env: ['DAVIT_VERBOSE'], describe: 'also print what happened in each run' },
  },
  environment: { ...stateEnvironment },
  seeAlso: ['davit-env(1)', 'davit-generations(1)'],
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
