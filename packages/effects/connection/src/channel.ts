import type { Readable, Writable } from 'node:stream'
import type { DavitError } from '@davit/diagnostics'

/**
 * A script that runs at the other end. Read both outputs: an unread one blocks the other when the link's window is full.
 * Output of the login shell comes first on `stdout`; scripts mark where their own begins.
 */
export interface Channel {
  /** Writing fails with EPIPE once the script has ended; `exit` says why. */
  readonly stdin: Writable
  /** Ends when the script has closed it, and fails with `exit`'s error when the link breaks. */
  readonly stdout: Readable
  readonly stderr: Readable
  /**
   * Exit status, 128 + number for a signal. Rejects with 'connection-lost' when the link breaks and 'channel-closed'
   * after `close`; the script may still be running then.
   */
  readonly exit: Promise<number>
  /** Closes the streams without waiting; the script sees the end of its input and nothing else. */
  close(): void
}

/** A program of the user that carries out operations on a machine, in the client protocol of Disnix. */
export interface ClientExecutable {
  /** An absolute path, or a name that PATH locates. */
  readonly executable: string
  /** What it is told as the target. */
  readonly address: string
}

/** One authenticated link, which carries scripts and bytes, several channels at a time. */
export interface Connection {
  /** If the machine itself is only reached through a client executable: the link is then one to this machine, where that runs. */
  readonly client?: ClientExecutable
  /** Address as the user wrote it, for messages. */
  readonly address: string
  /** Starts a POSIX shell script; bytes written to `stdin` are its input. */
  run(script: string): Promise<Channel>
  /** Resolves when the link breaks, and never otherwise. */
  readonly lost: Promise<DavitError>
  close(): Promise<void>
}
