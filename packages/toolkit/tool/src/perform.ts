import { DavitError, type Report, type Trace } from '@davit/diagnostics'

import type { ToolDescription } from './define-tool.ts'
import type { Host } from './host.ts'
import type { Interruption } from './interruption.ts'
import { say } from './messages.ts'
import type { Arguments } from './parse-arguments.ts'
import { createProgress, type Progress } from './progress.ts'
import { exitStatusOf, renderError } from './render-error.ts'
import { createRunJournal, type RunJournal } from './run-journal.ts'
import { openRunTrace } from './run-trace.ts'
import { movesCursor, showsColours } from './terminal-abilities.ts'

/** What a description says of a step: its name in messages, journal and trace, and what an interruption leaves. */
export type StepDescription = Pick<ToolDescription, 'name' | 'interrupted' | 'endless' | 'holdsMuch'>

export interface Surroundings {
  readonly host: Host
  readonly interruption: Interruption
  /** Arguments of the tool, which say how messages are printed. */
  readonly args: Arguments
}

/** Where a step reports while it is performed. */
export interface Performance extends Surroundings {
  readonly progress: Progress
  readonly journal: RunJournal
  readonly trace: Trace | undefined
  /** Prints an error. */
  readonly complain: (error: unknown) => void
}

export interface Done<Result> {
  readonly result: Result
  /** Exit status. */
  readonly status: number
}

export type Performed<Result> =
  | (Done<Result> & { readonly kind: 'done' })
  /** An error ended the step, which has been printed. */
  | { readonly kind: 'failed'; readonly status: number }

/** Performs a step to its end: reports, traces and journals it under its name. */
export async function perform<Result>(
  step: StepDescription,
  surroundings: Surroundings,
  work: (performance: Performance) => Promise<Done<Result>>,
): Promise<Performed<Result>> {
  const { args, host, interruption } = surroundings
  const { name: tool } = step
  const progress = createProgress({ tool, ...progressOptions(args, host) })
  const trace = openRunTrace({ tool, host, report: progress.report })
  const journal = createRunJournal({ tool, host, report: trace.report })
  const running = { step, args, interruption }
  announceInterruption(running, { report: journal.report, close: progress.close })
  const complain = (error: unknown): void =>
    void host.errors.write(renderError(error, { tool, format: logFormat(args), debug: args.debug === true }))
  try {
    const done = await work({ ...surroundings, progress, journal, trace: trace.begin, complain })
    journal.end(done.status)
    return { kind: 'done', ...done }
  } catch (error) {
    const shown = interruptedBy(error, step, interruption)
    const status = interruption.status ?? exitStatusOf(error)
    journal.end(status, shown)
    progress.close()
    if (!isQuietEnd(error, running)) complain(shown)
    return { kind: 'failed', status }
  } finally {
    trace.end()
    progress.close()
  }
}

/** Where a step reports to. */
interface Voice {
  readonly report: Report
  /** Removes the lines of running steps from a terminal. */
  readonly close: () => void
}

interface RunningStep extends Omit<Surroundings, 'host'> {
  readonly step: StepDescription
}

function announceInterruption({ step, args, interruption }: RunningStep, { report, close }: Voice): void {
  if (isEndless(step, args)) return
  const { interrupted } = step
  const { signal, announcement, onStop } = interruption
  // The first listener, so that this is reported before the step reacts.
  signal.addEventListener(
    'abort',
    () => report(say('stopping', { announcement: announcement(interrupted?.announcement) })),
    {
      once: true,
    },
  )
  onStop(() => {
    report(say('stopped', { hint: interrupted?.twice }))
    close()
  })
}

/** Whether an interruption is what the tool waits for. */
function isEndless({ endless }: StepDescription, args: Arguments): boolean {
  return endless !== undefined && args[endless] === true
}

function isQuietEnd(error: unknown, { step, args, interruption }: RunningStep): boolean {
  return isEndless(step, args) && isInterruption(error, interruption)
}

/** Replaces an error that the interruption caused by the interruption itself, with a hint at what is left. */
function interruptedBy(error: unknown, { interrupted }: StepDescription, interruption: Interruption): unknown {
  const reason: unknown = interruption.signal.reason
  const isPlain = isInterruption(error, interruption)
  if (!isPlain || !(reason instanceof DavitError) || interrupted === undefined) return isPlain ? reason : error
  const { code, message, exitStatus } = reason
  return new DavitError(code, message, { exitStatus, hint: interrupted.once })
}

/** Whether an error says nothing but that somebody interrupted the step. */
function isInterruption(error: unknown, { signal }: Interruption): boolean {
  return signal.aborted && (error === signal.reason || (error instanceof Error && error.name === 'AbortError'))
}

function progressOptions(args: Arguments, { errors, environment }: Host) {
  const verbosity = args.quiet === true ? 'quiet' : args.verbose === true ? 'verbose' : 'normal'
  const cursor = movesCursor(environment)
  const color = showsColours(environment)
  return { stream: errors, format: logFormat(args), verbosity, color, cursor, now: Date.now } as const
}

function logFormat(args: Arguments): 'text' | 'json' {
  return args.logFormat === 'json' ? 'json' : 'text'
}
