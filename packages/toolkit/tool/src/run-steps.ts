import { Readable, Writable } from 'node:stream'

import { connectionPool, sshAnswers } from '@davit/connection'
import { DavitError } from '@davit/diagnostics'
import { secretMemory } from '@davit/secrets'

import type { Tool } from './define-tool.ts'
import type { Surroundings } from './carry-out.ts'
import type { Host } from './host.ts'
import type { Interruption, InterruptionSignal } from './interruption.ts'
import { keepMemorySmall } from './keep-memory-small.ts'
import { exitStatusOf } from './render-error.ts'
import { sharedConnections } from './shared-connections.ts'
import type { Environment, ForegroundCommand } from './tool-context.ts'

/** Runs tools in this process, one after the other. Each method ends the run if the tool ends with a status other than 0. */
export interface Steps {
  /** Runs a tool, with a document on its standard input, which `-` names if the tool takes operands, and returns what it prints. */
  run(tool: LoadTool, argv: readonly string[], input?: string): Promise<string>
  /** Runs a tool whose standard output is ours. */
  show(tool: LoadTool, argv: readonly string[], input?: string): Promise<void>
  /** Runs a tool that starts a command, and carries out `work` where the command would be started. */
  during(tool: LoadTool, argv: readonly string[], work: CommandInProcess): Promise<void>
  /** The same steps with other variables. */
  with(variables: Environment): Steps
}

/** Loads a tool when its step comes. */
export type LoadTool = () => Promise<Tool>

export interface CommandInProcess {
  readonly input: string
  /** Steps to run instead of the command. */
  readonly work: () => Promise<void>
}

export interface StepsHost extends Surroundings {
  readonly executeTool: (tool: Tool, surroundings: Surroundings) => Promise<number>
  /** Environment of the steps. */
  readonly environment: Environment
  /** Reports an error of the work under the name of the tool that runs the steps. */
  readonly complain: (error: unknown) => void
}

/**
 * Runs steps; returns 0, or the status of the step that failed. Signals go to the step that is running. After one, no further step
 * begins.
 */
export async function runSteps(host: StepsHost, work: (steps: Steps) => Promise<void>): Promise<number> {
  const run = new Run(host)
  try {
    await work(stepsOf(run, host.environment))
    return 0
  } catch (error) {
    if (error instanceof StepFailed) return error.status
    throw error
  } finally {
    await run.end()
  }
}

/** Ends the work of a run at a step that failed, which has said why. */
class StepFailed extends Error {
  readonly status: number

  constructor(status: number) {
    super(`a step ended with status ${status}`)
    this.status = status
  }
}

function stepsOf(run: Run, environment: Environment): Steps {
  return {
    async run(tool, argv, input) {
      const printed: Buffer[] = []
      await run.step(tool, { argv, environment, input, output: collecting(printed) })
      return Buffer.concat(printed).toString()
    },
    show: (tool, argv, input) => run.step(tool, { argv, environment, input }),
    during(tool, argv, { input, work }) {
      return run.step(tool, { argv, environment, input, output: collecting([]), work })
    },
    with: (variables) => stepsOf(run, { ...environment, ...variables }),
  }
}

/** The words of a step, with the operand for its document, and a command where the tool takes one. */
function wordsFor({ operands = {} }: Tool, { argv, input, work }: Step): readonly string[] {
  const operand = input === undefined || Object.keys(operands).length === 0 ? [] : ['-']
  return [...argv, ...operand, ...(work === undefined ? [] : ['--', 'steps'])]
}

interface Step {
  readonly argv: readonly string[]
  readonly environment: Environment
  readonly input?: string | undefined
  readonly output?: Writable
  readonly work?: () => Promise<void>
}

class Run {
  readonly #surroundings: StepsHost
  readonly #connections = sharedConnections({ connectionPool, now: () => performance.now() })
  readonly #secrets = secretMemory()
  readonly #answers = sshAnswers()
  readonly #restore: () => void
  /** Interruptions of the steps that are running, one inside the other. */
  readonly #running: Interruption[] = []
  /** Status for the first signal, once there was one. */
  #caught: number | undefined

  constructor(surroundings: StepsHost) {
    this.#surroundings = surroundings
    const pass = (name: InterruptionSignal, status: number): void => {
      this.#caught ??= status
      this.#running.at(-1)?.receive(name)
    }
    this.#restore = surroundings.interruption.divert(pass, () => this.#running.at(-1)?.endsNext === true)
  }

  async step(load: LoadTool, step: Step): Promise<void> {
    const tool = await load()
    this.#refuseAfterSignal(tool)
    const { host, executeTool } = this.#surroundings
    const interruption = this.#surroundings.interruption.ofStep()
    const { tool: outer } = host.running
    this.#running.push(interruption)
    host.running.tool = tool.name
    const release = tool.holdsMuch === true ? keepMemorySmall() : () => {}
    try {
      const status = await executeTool(tool, {
        host: this.#hostOf({ ...step, argv: wordsFor(tool, step) }),
        interruption,
      })
      if (status !== 0) throw new StepFailed(status)
    } finally {
      release()
      host.running.tool = outer
      this.#running.pop()
    }
  }

  async end(): Promise<void> {
    this.#restore()
    await this.#connections.close()
  }

  #refuseAfterSignal({ name }: Tool): void {
    if (this.#caught === undefined) return
    throw new DavitError('interrupted', `interrupted before ${name}`, {
      exitStatus: this.#caught,
      hint: 'the same command continues from there',
      fields: { before: name },
    })
  }

  #hostOf({ argv, environment, input = '', output, work }: Step): Host {
    const { host } = this.#surroundings
    return {
      ...host,
      argv,
      environment,
      input: Readable.from(input === '' ? [] : [Buffer.from(input)]),
      output: output ?? host.output,
      openPool: this.#connections.open,
      secretMemory: this.#secrets,
      answers: this.#answers,
      ...(work === undefined
        ? {}
        : { runCommand: (command, interruption) => this.#carryOut(work, command, interruption) }),
    }
  }

  /** Carries out work instead of a command, as `runInForeground` would: signals go to the work, and an abort ends it. */
  async #carryOut(
    work: () => Promise<void>,
    { signal }: ForegroundCommand,
    interruption: Interruption,
  ): Promise<number> {
    interruption.signal.throwIfAborted()
    signal?.throwIfAborted()
    const restore = interruption.divert(() => {})
    const terminate = (): void => this.#surroundings.interruption.receive('SIGTERM')
    signal?.addEventListener('abort', terminate, { once: true })
    try {
      await work()
      return 0
    } catch (error) {
      if (error instanceof StepFailed) return error.status
      this.#surroundings.complain(error)
      return exitStatusOf(error)
    } finally {
      restore()
      signal?.removeEventListener('abort', terminate)
    }
  }
}

function collecting(chunks: Buffer[]): Writable {
  return new Writable({
    write(chunk: Buffer, _, done) {
      chunks.push(chunk)
      done()
    },
  })
}
