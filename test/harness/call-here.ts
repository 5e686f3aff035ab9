import { inject } from 'vitest'
import type { CoordinatorOptions, Outcome, RunOptions } from './coordinator.ts'
import { programOf } from './installed-program.ts'
import { isFree, runHere } from './run-here.ts'

/** With `--all`, all tools run as processes; `DAVIT_TEST_PROCESSES=1` does this for some tests. */
const ALL_PROCESSES = Boolean(process.env['DAVIT_TEST_ALL'] || process.env['DAVIT_TEST_PROCESSES'])

interface CallerOptions extends Pick<CoordinatorOptions, 'prefix' | 'processes'> {
  readonly directory: string
  readonly environment: Readonly<Record<string, string>>
  /** Whether every command is behind words that run it elsewhere. */
  readonly isBehindWords: boolean
}

/** Runs a command in this process if it can; nothing if the command needs a process of its own. */
type Call = (argv: readonly string[], run?: RunOptions) => Promise<Outcome> | undefined

/** Returns a function that calls the tools of the installation. */
export function callerOf({ prefix, processes = false, isBehindWords, directory, environment }: CallerOptions): Call {
  if (ALL_PROCESSES || processes || isBehindWords || prefix !== undefined) return () => undefined
  const installation = inject('prefix')
  return ([name = '', ...words], run = {}) => {
    const program = programOf(installation, name)
    const { input = '', environment: more, directory: place = directory } = run
    if (program === undefined || needsProcess(name, words, run) || !isFree(place)) return undefined
    return runHere({ program, words, directory: place, environment: { ...environment, ...more }, input })
  }
}

/** Tools that need a process: one runs another as its child, and one serves connections. */
const NEED_PROCESS: ReadonlySet<string> = new Set(['davit', 'davit-connect'])

/** Variables that matter when a process starts: where its program is, how Node runs it, and where on earth it is. */
const OF_PROCESS: ReadonlySet<string> = new Set(['PATH', 'NODE_OPTIONS', 'TZ'])

function needsProcess(name: string, words: readonly string[], { process = false, environment = {} }: RunOptions) {
  const isGiven = Object.keys(environment).some((variable) => OF_PROCESS.has(variable))
  return process || isGiven || NEED_PROCESS.has(name) || words.some((word) => isOfProcess(name, word))
}

/**
 * Whether a tool uses its process for a word: what is behind `--` runs in its place, but that of davit-env is for a stack; and models in
 * some languages are programs.
 */
function isOfProcess(name: string, word: string): boolean {
  return (word === '--' && name !== 'davit-env') || /\.[cm]?[jt]s$/.test(word)
}
