import { type ToolDescription, profileOptions, stateEnvironment } from '@davit/tool'

export const description = {
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
} as const satisfies ToolDescription
