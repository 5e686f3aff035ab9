import { resolve } from 'node:path'

import { checkVariables } from './check-variables.ts'
import { createContext } from './create-context.ts'
import type { Tool } from './define-tool.ts'
import { fileOutput } from './file-output.ts'
import { type Host, hostWith } from './host.ts'
import type { Interruption } from './interruption.ts'
import type { Arguments } from './parse-arguments.ts'
import { perform, type Surroundings } from './perform.ts'
import { READER_GONE, type ResultOutput, type StreamOutput } from './result-output.ts'
import { runSteps, type Steps } from './run-steps.ts'
import { COORDINATOR_VARIABLE } from './state-directory.ts'

interface Work extends Omit<Surroundings, 'args'> {
  readonly output: StreamOutput
}

/** Runs a tool with its arguments to its exit status. */
export async function carryOut(
  tool: Tool,
  args: Arguments,
  { host: around, interruption, output }: Work,
): Promise<number> {
  const host = withCoordinatorDirectory(around, args)
  checkVariables(tool, host)
  const result = typeof args.output === 'string' ? heardFor(fileOutput(args.output), interruption) : output
  const { kind, status } = await perform(tool, { args, host, interruption }, async (performance) => {
    const steps = (work: (steps: Steps) => Promise<void>) => runSteps({ ...performance, tool: tool.name }, work)
    const ended = await tool.run(createContext(args, { ...performance, result, runSteps: steps }))
    await result.finish()
    return { result: undefined, status: ended ?? 0 }
  })
  return status || (kind === 'done' && output.cutShort ? READER_GONE : 0)
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

/** Has the steps of a run, and its journal, find the directory that an option names. */
function withCoordinatorDirectory(host: Host, { coordinatorProfilePath: directory }: Arguments): Host {
  if (typeof directory !== 'string' || directory === '') return host
  const environment = { ...host.environment, [COORDINATOR_VARIABLE]: resolve(host.workingDirectory, directory) }
  return hostWith(host, { environment })
}
