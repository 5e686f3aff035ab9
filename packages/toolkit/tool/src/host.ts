import type { Readable, Writable } from 'node:stream'
import type { SshAnswers } from '@davit/connection'
import type { SecretMemory } from '@davit/secrets'
import type { OpenPool } from './shared-connections.ts'
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
  readonly output: Writable & { readonly isTTY?: boolean | undefined; readonly columns?: number | undefined }
  readonly errors: MessageStream
  /** Name of the tool that is running, under which a bug is reported; changes from step to step. */
  readonly running: { tool: string }
  /** Connections that the steps of a run share; without it, each tool connects for itself. */
  readonly openPool?: OpenPool
  /** What ssh has told the steps of a run. */
  readonly answers?: SshAnswers
  /** Secrets that the steps of a run have resolved. */
  readonly secretMemory?: SecretMemory
  /** When the process began, in milliseconds since 1970. */
  readonly startTime?: number
}

/** The same process with other properties. Some properties are got when they are used. */
export function hostWith(host: Host, others: Partial<Host>): Host {
  const properties = { ...Object.getOwnPropertyDescriptors(host), ...Object.getOwnPropertyDescriptors(others) }
  return Object.create(Object.prototype, properties) as Host
}
