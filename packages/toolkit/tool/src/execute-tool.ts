import { DavitError, type Report } from '@davit/diagnostics'
import { checkVariables } from './check-variables.ts'
import type { Tool } from './define-tool.ts'
import type { Host } from './host.ts'
import type { Interruption } from './interruption.ts'
import { messageVariables } from './common-options.ts'
import { say } from './messages.ts'
import { type Arguments, parseArguments } from './parse-arguments.ts'
import { createProgress } from './progress.ts'
import { type ErrorStyle, exitStatusOf, renderError } from './render-error.ts'
import { renderHelp } from './render-help.ts'
import { fileOutput, type StreamOutput, streamOutput } from './result-output.ts'
import { createContext } from './create-context.ts'
import { createRunJournal, nameOfRun, RUN_VARIABLE } from './run-journal.ts'
import { runSteps, type Steps } from './run-steps.ts'
import type { Environment } from './tool-context.ts'
import { openRunTrace } from './run-trace.ts'
import { version } from './version.ts'

/** Exit status of a program whose reader has gone, as in a shell: 128 + SIGPIPE. */
const READER_GONE = 141

export interface Surroundings {
  readonly host: Host
  readonly interruption: Interruption
}

/** Runs a tool from command line to exit status; resolves when all its output has been written. */
export async function executeTool(tool: Tool, { host, interruption }: Surroundings): Promise<number> {
  const output = streamOutput(host.output)
  try {
    const request = parseArguments(tool, host)
    if (request.kind === 'run') {
      checkVariables(tool, host)
      return await carryOut(tool, request.args, { host, interruption, output })
    }
    const help = async (): Promise<string> => renderHelp(tool, await tool.findHelp?.(host))
    await output.print(request.kind === 'help' ? await help() : `${tool.name} ${version}\n`)
    return output.cutShort ? READER_GONE : 0
  } catch (error) {
    host.errors.write(renderError(error, { tool: tool.name, ...probableStyle(host) }))
    return exitStatusOf(error)
  }
}

/** Where a run reports to. */
interface Voice {
  readonly report: Report
  /** Removes the lines of running steps from a terminal. */
  readonly close: () => void
}

async function carryOut(
  tool: Tool,
  args: Arguments,
  { host, interruption, output }: Surroundings & { readonly output: StreamOutput },
): Promise<number> {
  const progress = createProgress({ tool: tool.name, ...progressOptions(args, host) })
  const trace = openRunTrace({ tool: tool.name, host, report: progress.report })
  const journal = createRunJournal({ tool: tool.name, host, report: trace.report })
  announceInterruption(tool, interruption, { report: journal.report, close: progress.close })
  const result = typeof args.output === 'string' ? fileOutput(args.output) : output
  const complain = (error: unknown): void =>
    void host.errors.write(renderError(error, { tool: tool.name, format: logFormat(args), debug: args.debug === true }))
  const steps = (variables: Environment, work: (steps: Steps) => Promise<void>) => {
    const environment = { ...variables, ...messageVariables(args), [RUN_VARIABLE]: nameOfRun(tool.name, host) }
    return runSteps({ host, interruption, executeTool, environment, complain }, work)
  }
  try {
    const parts = { host, interruption, result, progress, journal, trace: trace.begin, runSteps: steps }
    const context = createContext(args, parts)
    const status = await tool.run(context)
    await result.finish()
    journal.end(status ?? 0)
    return status || (output.cutShort ? READER_GONE : 0)
  } catch (error) {
    const shown = interruption.signal.aborted ? interruptedBy(error, tool, interruption) : error
    const status = interruption.status ?? exitStatusOf(error)
    journal.end(status, shown)
    progress.close()
    complain(shown)
    return status
  } finally {
    trace.end()
    progress.close()
  }
}

function announceInterruption({ interrupted }: Tool, interruption: Interruption, { report, close }: Voice): void {
  const { signal, announcement, onStop } = interruption
  // The first listener, so that this is reported before the tool reacts.
  signal.addEventListener('abort', () => report(say('stopping', { announcement: announcement() })), { once: true })
  onStop(() => {
    report(say('stopped', { hint: interrupted?.twice }))
    close()
  })
}

/** Replaces an error that the interruption caused by the interruption itself, with a hint at what is left. */
function interruptedBy(error: unknown, { interrupted }: Tool, { signal }: Interruption): unknown {
  const reason: unknown = signal.reason
  const isPlain = error === reason || (error instanceof Error && error.name === 'AbortError')
  if (!isPlain || !(reason instanceof DavitError) || interrupted === undefined) return isPlain ? reason : error
  const { code, message, exitStatus } = reason
  return new DavitError(code, message, { exitStatus, hint: interrupted.once })
}

function progressOptions(args: Arguments, { errors, environment }: Host) {
  const verbosity = args.quiet === true ? 'quiet' : args.verbose === true ? 'verbose' : 'normal'
  const cursor = environment.TERM !== undefined && !['', 'dumb'].includes(environment.TERM)
  const color = cursor && !environment.NO_COLOR
  return { stream: errors, format: logFormat(args), verbosity, color, cursor, now: Date.now } as const
}

function logFormat(args: Arguments): 'text' | 'json' {
  return args.logFormat === 'json' ? 'json' : 'text'
}

/** Guesses the style of errors for a command line that could not be parsed. */
function probableStyle({ argv, environment }: Host): Omit<ErrorStyle, 'tool'> {
  const json = environment.DAVIT_LOG_FORMAT === 'json' || /--log-format[= ]json( |$)/.test(argv.join(' '))
  return { format: json ? 'json' : 'text', debug: argv.includes('--debug') }
}
