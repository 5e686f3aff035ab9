import type { Readable, Writable } from 'node:stream'

/** A program and its arguments; no shell ever sees them. */
export interface Command {
  readonly argv: readonly [string, ...string[]]
  /** Replaces the environment when given. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Everything the program reads; without it, standard input is empty (with `startCommand`, open for the caller). */
  readonly stdin?: string | Uint8Array
  readonly signal?: AbortSignal
  readonly timeoutSeconds?: number
  /**
   * What happens to the process group when this process ends first. By default it is killed; 'leave' is for a program
   * that notices by itself, by the end of its standard input.
   */
  readonly atExit?: 'kill' | 'leave'
  /**
   * Whether the program gets the descriptors that the caller of this process has passed on. By default they are /dev/null for it, since it may
   * outlive this process, and would keep what they stand for, such as a lock. 'keep' is for a program that reads what the user names.
   */
  readonly descriptors?: 'keep'
}

export interface CommandResult {
  /** 128 + number of the signal for a program that a signal ended, as in a shell. */
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

export interface RunningCommand {
  readonly pid: number
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** Exit status when the program has ended, which may be before its output has been read; as in `CommandResult`. */
  readonly exit: Promise<number>
  /** Signals the whole process group, with SIGTERM by default. */
  kill(signal?: NodeJS.Signals): void
}
