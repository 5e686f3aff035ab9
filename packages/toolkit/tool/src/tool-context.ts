import type { SshAnswers } from '@davit/connection'
import type { Report, Trace } from '@davit/diagnostics'
import type { Format } from '@davit/documents'
import type { Secrets } from '@davit/secrets'

import type { JournalledRun, JournalPurpose } from './run-journal.ts'
import type { Steps } from './run-steps.ts'
import type { OpenPool } from './shared-connections.ts'

export type Environment = Readonly<Record<string, string>>

/** A document as given. */
export interface Input {
  /** Text exactly as read; tools that act on targets print it when they are done. */
  readonly text: string
  /** Name of the file for messages; `<stdin>` for standard input. */
  readonly file: string
}

export interface DocumentInput<Value> extends Input {
  readonly value: Value
}

export interface ForegroundCommand {
  readonly argv: readonly [string, ...string[]]
  /** Replaces the environment when given. */
  readonly environment?: Environment
  /** An abort sends the command SIGTERM; the promise settles when it has ended. */
  readonly signal?: AbortSignal
}

/** What a step may use of the run that it belongs to. An executable is a run of one step. */
export interface Run {
  readonly report: Report
  /** Missing if no trace is written. */
  readonly trace?: Trace | undefined
  /**
   * Begins the journal of the step, if it acts on a deployment; it calls this once before it changes anything. From then on, the
   * journal records what is reported, and finally how the step ended.
   */
  journal(run: JournalledRun, purpose: JournalPurpose): void
  /**
   * Aborts when the user interrupts the step; its reason is a DavitError `interrupted`. A step hears signals from when this is got
   * first, so a step gets it when it begins something that needs to be finished or undone, and not before it computes.
   */
  readonly signal: AbortSignal
  /** Resolves references to secrets, each once in a run; without it, none can be resolved. */
  readonly secrets?: Secrets | undefined
  readonly environment: Environment
  readonly workingDirectory: string
  /** Whether the user is root. */
  readonly privileged: boolean
  /** Opens the pool of connections that the steps of a run share; absent if there is only one step. */
  readonly openPool?: OpenPool
  /** What ssh has said of addresses in this run, for further pools. */
  readonly answers?: SshAnswers
}

/** A run with the options of a step. */
export interface StepContext<Options> extends Run {
  readonly args: Options
}

/** How a document looks where it is printed. */
export interface Rendering {
  /** Columns of the terminal that standard output is; undefined if it is none. */
  readonly columns?: number | undefined
  /** Whether standard output is a terminal that shows colours. */
  readonly colours?: boolean
}

/** Everything that a tool may use of its environment. */
export interface ToolContext<Arguments> extends StepContext<Arguments>, Rendering {
  /** Writes the result to standard output, or to the file of `--output`, which is created when the tool has succeeded. */
  print(content: string | Uint8Array): Promise<void>
  /** Path through which the executable was called. */
  readonly executable: string
  /** Reads a file, or standard input if the operand is missing or `-`; the text may be empty. */
  readInput(operand: string | undefined): Promise<Input>
  /** Reads a document in the same way; throws `empty-document` (66) or `invalid-document` (65). */
  readDocument<Value>(format: Format<Value>, operand: string | undefined): Promise<DocumentInput<Value>>
  /** Runs a command with our standard streams; signals go to it, not to `signal`. Returns its exit status. */
  runInForeground(command: ForegroundCommand): Promise<number>
  /** Does the work of other tools as steps of this run; returns 0, or the status of the step that failed. */
  runSteps(work: (steps: Steps) => Promise<void>): Promise<number>
}
