import type { Readable, Writable } from 'node:stream'
import type { DavitError } from '@davit/diagnostics'

/**
 * A script that runs at the other end. Both outputs must be read: one that is not stops the other when the link's window
 * is full. What a login shell printed before the script comes first on `stdout`; scripts mark where they begin.
 */
export interface Channel {
  /** Writing fails with EPIPE once the script has ended; `exit` says why. */
  readonly stdin: Writable
  /** Ends when the script has closed it, and fails with `exit`'s error when the link breaks. */
  readonly stdout: Readable
  readonly stderr: Readable
  /**
   * Exit status, 128 + number for a signal. Rejects with 'connection-lost' when the link breaks and 'channel-closed'
   * after `close`; the script then may still run.
   */
  readonly exit: Promise<number>
  /** Closes the streams without waiting; the script sees the end of its input and nothing else. */
  close(): void
}

/** One authenticated link, which carries scripts and bytes, several channels at a time. */
export interface Connection {
  readonly kind: 'ssh' | 'local'
  /** As the user wrote it, for messages. */
  readonly address: string
  /** Starts a POSIX shell script; what is written to `stdin` is the script's own. */
  run(script: string): Promise<Channel>
  /** Resolves when the link breaks, and never otherwise. */
  readonly lost: Promise<DavitError>
  close(): Promise<void>
}
