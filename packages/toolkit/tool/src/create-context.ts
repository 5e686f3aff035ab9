import { sshAnswers } from '@davit/connection'
import { type Trace, traced } from '@davit/diagnostics'
import { parseDocument } from '@davit/documents'
import { openSecrets, type SecretReading } from '@davit/secrets'
import type { Host } from './host.ts'
import type { Interruption } from './interruption.ts'
import type { Arguments } from './parse-arguments.ts'
import type { Progress } from './progress.ts'
import { type InputSource, readInput } from './read-input.ts'
import type { ResultOutput } from './result-output.ts'
import { RUN_VARIABLE, type RunJournal } from './run-journal.ts'
import { runInForeground } from './run-in-foreground.ts'
import { secondsIn } from './seconds-in.ts'
import type { Steps } from './run-steps.ts'
import { showsColours } from './terminal-abilities.ts'
import type { Environment, ToolContext } from './tool-context.ts'

export interface ContextParts {
  readonly host: Host
  readonly interruption: Interruption
  readonly result: ResultOutput
  readonly progress: Progress
  readonly journal: RunJournal
  readonly runSteps: (environment: Environment, work: (steps: Steps) => Promise<void>) => Promise<number>
  readonly trace: Trace | undefined
}

export function createContext(args: Arguments, parts: ContextParts): ToolContext<Arguments> {
  const { host, interruption, result, progress, journal, trace } = parts
  const { [RUN_VARIABLE]: _, ...environment } = host.environment
  return {
    args,
    report: journal.report,
    trace,
    get signal() {
      interruption.hear()
      return interruption.signal
    },
    secrets: openSecrets(secretReading(environment, host, interruption), host.secretMemory),
    // What is started on this machine in its role as a target is not part of the run.
    environment,
    ...placeOf(host),
    print(content) {
      if (host.output.isTTY) progress.clear()
      return traced(trace, { kind: 'document', name: 'write' }, () => result.print(content))
    },
    ...readersFor(inputSource(host, interruption.signal), trace),
    journal(run, purpose) {
      interruption.hear()
      journal.begin(run, purpose)
    },
    runInForeground(command) {
      interruption.hear()
      progress.clear()
      if (host.runCommand !== undefined) return host.runCommand(command, interruption)
      const run = journal.run === undefined ? {} : { [RUN_VARIABLE]: journal.run }
      const around = { ...(command.environment ?? environment), ...run }
      return runInForeground({ ...command, environment: around }, { interruption, terminal: hasTerminal(host) })
    },
    runSteps: (variables, work) => parts.runSteps({ ...environment, ...variables }, work),
    ...(host.openPool === undefined ? {} : { openPool: host.openPool }),
    answers: host.answers ?? sshAnswers(),
  }
}

function readersFor(
  source: InputSource,
  trace: Trace | undefined,
): Pick<ToolContext<Arguments>, 'readInput' | 'readDocument'> {
  const read = (operand: string | undefined, what = 'input') =>
    traced(trace, { kind: 'document', name: `read ${what}` }, () => readInput(operand, source))
  return {
    readInput: (operand) => read(operand),
    async readDocument(format, operand) {
      const { name } = format
      const input = await read(operand, name)
      const parse = () => parseDocument(format, input.text, { file: input.file })
      return { ...input, value: await traced(trace, { kind: 'document', name: `parse ${name}` }, parse) }
    },
  }
}

function placeOf({ workingDirectory, privileged, executable, output, environment }: Host) {
  const isTerminal = output.isTTY === true
  // A terminal that does not know its size says 0.
  const columns = isTerminal ? output.columns || undefined : undefined
  const shown = { columns, colours: isTerminal && showsColours(environment) }
  return { workingDirectory, privileged, executable, ...shown }
}

function secretReading(
  environment: Environment,
  { workingDirectory }: Host,
  interruption: Interruption,
): SecretReading {
  return {
    environment,
    workingDirectory,
    // Only tools that resolve secrets refuse an invalid value.
    get timeoutSeconds() {
      return secondsIn(environment, 'DAVIT_SECRET_TIMEOUT')
    },
    get signal() {
      interruption.hear()
      return interruption.signal
    },
  }
}

function hasTerminal({ input, output, errors }: Host): boolean {
  return [input, output, errors].some(({ isTTY }) => isTTY === true)
}

function inputSource(host: Host, signal: AbortSignal): InputSource {
  return {
    get standardInput() {
      return host.input
    },
    signal,
  }
}
