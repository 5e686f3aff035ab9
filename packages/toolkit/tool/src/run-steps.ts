import { connectionPool, sshAnswers } from '@davit/connection'
import { DavitError } from '@davit/diagnostics'
import { secretMemory } from '@davit/secrets'

import { createRun } from './create-run.ts'
import { type Host, hostWith } from './host.ts'
import type { Interruption, InterruptionSignal } from './interruption.ts'
import { keepMemorySmall } from './keep-memory-small.ts'
import { type Done, perform, type Performance, type StepDescription } from './perform.ts'
import { exitStatusOf } from './render-error.ts'
import { nameOfRun, RUN_VARIABLE } from './run-journal.ts'
import { sharedConnections } from './shared-connections.ts'
import type { Run } from './tool-context.ts'

/**
 * Does the work of tools in this process, one after the other. A step has the name of its tool in messages, journal and trace, and
 * hears signals while it runs. A step that throws has its error printed, and ends the run with its own status.
 */
export interface Steps {
  /** Does work as a step. */
  as<Result>(step: StepDescription, work: (run: Run) => Promise<Result>): Promise<Result>
  /** Does work as a step during which others run: `steps`, when the work calls the command. */
  during(step: StepDescription, work: WorkAround, steps: () => Promise<void>): Promise<void>
}

/** Work that returns the status of the command, which it may end by an abort. */
export type WorkAround = (run: Run, command: (lost: AbortSignal) => Promise<number>) => Promise<number>

export interface StepsHost extends Performance {
  /** Name of the tool that runs the steps. */
  readonly tool: string
}

/**
 * Runs steps; returns 0, or the status of the step that failed. Signals go to the step that is running. After one, no further step
 * begins.
 */
export async function runSteps(host: StepsHost, work: (steps: Steps) => Promise<void>): Promise<number> {
  const steps = new StepsOfRun(host)
  try {
    await work(steps)
    return 0
  } catch (error) {
    if (error instanceof StepFailed) return error.status
    throw error
  } finally {
    await steps.end()
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

class StepsOfRun implements Steps {
  readonly #around: StepsHost
  readonly #host: Host
  readonly #connections = sharedConnections({ connectionPool, now: () => performance.now() })
  readonly #restore: () => void
  /** Interruptions of the steps that are running, one inside the other. */
  readonly #running: Interruption[] = []
  /** Status for the first signal, once there was one. */
  #caught: number | undefined

  constructor(around: StepsHost) {
    const { host, tool } = around
    this.#around = around
    this.#host = hostWith(host, {
      environment: { ...host.environment, [RUN_VARIABLE]: nameOfRun(tool, host) },
      openPool: this.#connections.open,
      secretMemory: secretMemory(),
      answers: sshAnswers(),
    })
    const pass = (name: InterruptionSignal, status: number): void => {
      this.#caught ??= status
      this.#running.at(-1)?.receive(name)
    }
    this.#restore = around.interruption.divert(pass, () => this.#running.at(-1)?.endsNext === true)
  }

  as<Result>(step: StepDescription, work: (run: Run) => Promise<Result>): Promise<Result> {
    return this.#perform(step, async (performance) => ({ result: await work(createRun(performance)), status: 0 }))
  }

  async during(step: StepDescription, work: WorkAround, steps: () => Promise<void>): Promise<void> {
    const status = await this.#perform(step, async (performance) => {
      const command = (lost: AbortSignal) => this.#inPlaceOfCommand(steps, lost, performance.interruption)
      const result = await work(createRun(performance), command)
      return { result, status: result }
    })
    if (status !== 0) throw new StepFailed(status)
  }

  async end(): Promise<void> {
    this.#restore()
    await this.#connections.close()
  }

  async #perform<Result>(
    step: StepDescription,
    work: (performance: Performance) => Promise<Done<Result>>,
  ): Promise<Result> {
    this.#refuseAfterSignal(step)
    const { args, interruption: ofTool } = this.#around
    const { running } = this.#host
    const interruption = ofTool.ofStep()
    const { tool: outer } = running
    this.#running.push(interruption)
    running.tool = step.name
    const release = step.holdsMuch === true ? keepMemorySmall() : () => {}
    try {
      const performed = await perform(step, { args, host: this.#host, interruption }, work)
      if (performed.kind === 'failed') throw new StepFailed(performed.status)
      return performed.result
    } finally {
      release()
      running.tool = outer
      this.#running.pop()
    }
  }

  #refuseAfterSignal({ name }: StepDescription): void {
    if (this.#caught === undefined) return
    throw new DavitError('interrupted', `interrupted before ${name}`, {
      exitStatus: this.#caught,
      hint: 'the same command continues from there',
      fields: { before: name },
    })
  }

  /** Carries out steps instead of a command, as `runInForeground` would: signals go to the steps, and an abort ends them. */
  async #inPlaceOfCommand(steps: () => Promise<void>, lost: AbortSignal, interruption: Interruption): Promise<number> {
    interruption.signal.throwIfAborted()
    lost.throwIfAborted()
    const restore = interruption.divert(() => {})
    const terminate = (): void => this.#around.interruption.receive('SIGTERM')
    lost.addEventListener('abort', terminate, { once: true })
    try {
      await steps()
      return 0
    } catch (error) {
      if (error instanceof StepFailed) return error.status
      this.#around.complain(error)
      return exitStatusOf(error)
    } finally {
      restore()
      lost.removeEventListener('abort', terminate)
    }
  }
}
