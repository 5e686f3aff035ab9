import type { Readable, Writable } from 'node:stream'
import type { Environment } from './tool-context.ts'

/** A stream for messages, which may be a terminal. */
export interface MessageStream extends Writable {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  readonly rows?: number | undefined
}

/** The process around a tool. */
export interface Host {
  /** Arguments without interpreter and script. */
  readonly argv: readonly string[]
  readonly executable: string
  readonly environment: Environment
  readonly workingDirectory: string
  readonly privileged: boolean
  readonly input: Readable & { readonly isTTY?: boolean | undefined }
  readonly output: Writable & { readonly isTTY?: boolean | undefined }
  readonly errors: MessageStream
}
