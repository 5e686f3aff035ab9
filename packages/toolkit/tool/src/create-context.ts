import { type Trace, traced } from '@davit/diagnostics'
import { parseDocument } from '@davit/documents'

import { createRun } from './create-run.ts'
import type { Host } from './host.ts'
import type { Arguments } from './parse-arguments.ts'
import type { Performance } from './perform.ts'
import { type InputSource, readInput } from './read-input.ts'
import type { ResultOutput } from './result-output.ts'
import { RUN_VARIABLE } from './run-journal.ts'
import { runInForeground } from './run-in-foreground.ts'
import type { Steps } from './run-steps.ts'
import { showsColours } from './terminal-abilities.ts'
import type { Rendering, ToolContext } from './tool-context.ts'

export interface ContextParts extends Performance {
  readonly result: ResultOutput
  readonly runSteps: (work: (steps: Steps) => Promise<void>) => Promise<number>
}

export function createContext(args: Arguments, parts: ContextParts): ToolContext<Arguments> {
  const { host, interruption, result, progress, journal, trace } = parts
  const run = createRun(parts)
  // The signal is heard from when it is got.
  return Object.assign(run, {
    args,
    executable: host.executable,
    ...renderingOn(host),
    print(content: string | Uint8Array) {
      if (host.output.isTTY) progress.clear()
      return traced(trace, { kind: 'document', name: 'write' }, () => result.print(content))
    },
    ...readersFor(inputSource(host, interruption.signal), trace),
    runInForeground(command) {
      interruption.hear()
      progress.clear()
      const name = journal.run === undefined ? {} : { [RUN_VARIABLE]: journal.run }
      const around = { ...(command.environment ?? run.environment), ...name }
      return runInForeground({ ...command, environment: around }, { interruption, terminal: hasTerminal(host) })
    },
    runSteps: parts.runSteps,
  } satisfies Omit<ToolContext<Arguments>, keyof typeof run>)
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

function renderingOn({ output, environment }: Host): Rendering {
  const isTerminal = output.isTTY === true
  // A terminal that does not know its size says 0.
  const columns = isTerminal ? output.columns || undefined : undefined
  return { columns, colours: isTerminal && showsColours(environment) }
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
