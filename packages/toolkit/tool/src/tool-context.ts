import type { Report } from '@davit/diagnostics'
import type { Format } from '@davit/documents'

import type { JournalledRun, JournalPurpose } from './run-journal.ts'

export type Environment = Readonly<Record<string, string>>

/** A document as it was given. */
export interface Input {
  /** Exactly as it was read: acting tools print it when they are done. */
  readonly text: string
  /** For messages; `<stdin>` for standard input. */
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

/** Everything through which a tool touches the world. */
export interface ToolContext<Arguments> {
  readonly args: Arguments
  /** Writes the result to standard output, or to the file of `--output`, which appears when the tool has succeeded. */
  print(content: string | Uint8Array): Promise<void>
  readonly report: Report
  /**
   * For tools that act on a deployment, once before they change anything: its journal says from here on what is reported, and
   * in the end how this ended.
   */
  journal(run: JournalledRun, purpose: JournalPurpose): void
  /** Aborts when the user asks to stop; its reason is a DavitError that says so. */
  readonly signal: AbortSignal
  readonly environment: Environment
  readonly workingDirectory: string
  /** Whether this is root. */
  readonly privileged: boolean
  /** Path through which the executable was called. */
  readonly executable: string
  /** Reads a file, or standard input when there is no operand or it is `-`; the text may be empty. */
  readInput(operand: string | undefined): Promise<Input>
  /** The same for a document; throws `empty-document` (66) or `invalid-document` (65). */
  readDocument<Value>(format: Format<Value>, operand: string | undefined): Promise<DocumentInput<Value>>
  /** Runs a command with our standard streams; signals go to it, not to `signal`. Returns its exit status. */
  runInForeground(command: ForegroundCommand): Promise<number>
}
