import { resolve } from 'node:path'

import { DavitError, type Report } from '@davit/diagnostics'
import { messageVariables } from './common-options.ts'
import { checkVariables } from './check-variables.ts'
import { createContext } from './create-context.ts'
import type { Tool } from './define-tool.ts'
import { fileOutput } from './file-output.ts'
import type { Host } from './host.ts'
import type { Interruption } from './interruption.ts'
import { say } from './messages.ts'
import type { Arguments } from './parse-arguments.ts'
import { createProgress } from './progress.ts'
import { exitStatusOf, renderError } from './render-error.ts'
import { READER_GONE, type ResultOutput, type StreamOutput } from './result-output.ts'
import { createRunJournal, nameOfRun, RUN_VARIABLE } from './run-journal.ts'
import { runSteps, type Steps, type StepsHost } from './run-steps.ts'
import { openRunTrace } from './run-trace.ts'
import { COORDINATOR_VARIABLE } from './state-directory.ts'
import { movesCursor, showsColours } from './terminal-abilities.ts'
import type { Environment } from './tool-context.ts'

export interface Surroundings {
  readonly host: Host
  readonly interruption: Interruption
}

interface Work extends Surroundings, Pick<StepsHost, 'executeTool'> {
  readonly output: StreamOutput
}

/** Runs a tool with its arguments to its exit status. Reports, traces and journals the run. */
export async function carryOut(
  tool: Tool,
  args: Arguments,
  { host: around, interruption, output, executeTool }: Work,
): Promise<number> {
  const host = withCoordinatorDirectory(around, args)
  checkVariables(tool, host)
  const progress = createProgress({ tool: tool.name, ...progressOptions(args, host) })
  const trace = openRunTrace({ tool: tool.name, host, report: progress.report })
  const journal = createRunJournal({ tool: tool.name, host, report: trace.report })
  const voice = { report: journal.report, close: progress.close }
  announceInterruption({ tool, args, interruption }, voice)
  const result = typeof args.output === 'string' ? heardFor(fileOutput(args.output), interruption) : output
  const complain = (error: unknown): void =>
    void host.errors.write(renderError(error, { tool: tool.name, format: logFormat(args), debug: args.debug === true }))
  const steps = (variables: Environment, work: (steps: Steps) => Promise<void>) => {
    const environment = { ...variables, ...messageVariables(args), [RUN_VARIABLE]: nameOfRun(tool.name, host) }
    return runSteps({ host, interruption, executeTool, environment, complain }, work)
  }
  try {
    const parts = { host, interruption, result, progress, journal, trace: trace.begin, runSteps: steps }
    const status = await tool.run(createContext(args, parts))
    await result.finish()
    journal.end(status ?? 0)
    return status || (output.cutShort ? READER_GONE : 0)
  } catch (error) {
    const shown = interruptedBy(error, tool, interruption)
    const status = interruption.status ?? exitStatusOf(error)
    journal.end(status, shown)
    progress.close()
    if (!isQuietEnd(error, { tool, args, interruption })) complain(shown)
    return status
  } finally {
    trace.end()
    progress.close()
  }
}

/** Hears signals from when the file is written. */
function heardFor(file: ResultOutput, interruption: Interruption): ResultOutput {
  return {
    print: file.print,
    finish() {
      interruption.hear()
      return file.finish()
    },
  }
}

/** Where a run reports to. */
interface Voice {
  readonly report: Report
  /** Removes the lines of running steps from a terminal. */
  readonly close: () => void
}

interface Run {
  readonly tool: Tool
  readonly args: Arguments
  readonly interruption: Interruption
}

function announceInterruption({ tool, args, interruption }: Run, { report, close }: Voice): void {
  if (isEndless(tool, args)) return
  const { interrupted } = tool
  const { signal, announcement, onStop } = interruption
  // The first listener, so that this is reported before the tool reacts.
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
function isEndless({ endless }: Tool, args: Arguments): boolean {
  return endless !== undefined && args[endless] === true
}

function isQuietEnd(error: unknown, { tool, args, interruption }: Run): boolean {
  return isEndless(tool, args) && isInterruption(error, interruption)
}

/** Replaces an error that the interruption caused by the interruption itself, with a hint at what is left. */
function interruptedBy(error: unknown, { interrupted }: Tool, interruption: Interruption): unknown {
  const reason: unknown = interruption.signal.reason
  const isPlain = isInterruption(error, interruption)
  if (!isPlain || !(reason instanceof DavitError) || interrupted === undefined) return isPlain ? reason : error
  const { code, message, exitStatus } = reason
  return new DavitError(code, message, { exitStatus, hint: interrupted.once })
}

/** Whether an error says nothing but that somebody interrupted the tool. */
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

/** Has the steps of a run, and its journal, find the directory that an option names. */
function withCoordinatorDirectory(host: Host, { coordinatorProfilePath: directory }: Arguments): Host {
  if (typeof directory !== 'string' || directory === '') return host
  const environment = { ...host.environment, [COORDINATOR_VARIABLE]: resolve(host.workingDirectory, directory) }
  // Some properties are got when they are used.
  const properties = {
    ...Object.getOwnPropertyDescriptors(host),
    environment: { value: environment, enumerable: true },
  }
  return Object.create(Object.prototype, properties) as Host
}
