import type { OptionTable } from './option.ts'

const group = 'Common options'

/** Options that every executable understands. */
export const commonOptions = {
  quiet: { type: 'boolean', short: 'q', env: ['DAVIT_QUIET'], group, describe: 'print only warnings and errors' },
  verbose: {
    type: 'boolean',
    short: 'v',
    env: ['DAVIT_VERBOSE'],
    group,
    describe: 'print every step as it begins, and details',
  },
  'log-format': {
    type: 'choice',
    choices: ['text', 'json'],
    default: 'text',
    env: ['DAVIT_LOG_FORMAT'],
    group,
    describe: 'format of progress and errors on standard error',
  },
  debug: { type: 'boolean', env: ['DAVIT_DEBUG'], group, describe: 'print stack traces' },
  help: { type: 'boolean', short: 'h', group, describe: 'print this help and stop' },
  version: { type: 'boolean', group, describe: 'print the version and stop' },
} as const satisfies OptionTable

/** Variables that every executable understands, besides those that set options. */
export const commonEnvironment = {
  DAVIT_TRACE: 'file to which to add where the time goes, for trace viewers',
  NO_COLOR: 'no colours on a terminal',
} as const

/** Exit statuses that all executables share. */
export const commonExitStatus: Readonly<Record<number, string>> = {
  0: 'done',
  64: 'wrong usage',
  65: 'a document is invalid',
  66: 'no input',
  69: 'a target cannot be reached, or a required program is missing',
  70: 'a bug in davit',
  73: 'output cannot be written',
  75: 'locked by somebody else; try again later',
  77: 'host key or permission refused',
  130: 'interrupted (143: terminated)',
}
