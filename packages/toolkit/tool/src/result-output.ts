import { DavitError, ExitStatus } from '@davit/diagnostics'
import { reasonOf, systemErrorCode } from '@davit/files'

/** Destination of the result of a tool. */
export interface ResultOutput {
  print(content: string | Uint8Array): Promise<void>
  /** Completes the output; to be called when the tool has succeeded. */
  finish(): Promise<void>
}

/** Exit status of a program whose reader has gone, as in a shell: 128 + SIGPIPE. */
export const READER_GONE = 141

export interface StreamOutput extends ResultOutput {
  /** Whether the reader went away before everything was written. */
  readonly cutShort: boolean
}

/** Output to standard output; a reader that goes away is not an error. */
export function streamOutput(stream: NodeJS.WritableStream): StreamOutput {
  let cutShort = false
  // Each write receives its own error; an error event without a listener would end the process.
  stream.on('error', () => {})
  return {
    get cutShort() {
      return cutShort
    },
    async print(content) {
      if (cutShort) return
      const error = await written(stream, content)
      if (error === undefined) return
      if (!('code' in error) || error.code !== 'EPIPE') throw cannotWrite(error, 'standard output')
      cutShort = true
    },
    async finish() {},
  }
}

function written(stream: NodeJS.WritableStream, content: string | Uint8Array): Promise<Error | undefined> {
  return new Promise((resolve) => {
    stream.write(content as string, (error) => resolve(error ?? undefined))
  })
}

export function cannotWrite(cause: Error, place: string): DavitError {
  return new DavitError('cannot-write', `cannot write to ${place}: ${reasonOf(cause)}`, {
    exitStatus: ExitStatus.cannotCreate,
    hint: HINTS.get(systemErrorCode(cause) ?? '') ?? 'discard what was written there, and run the same command again',
    cause,
  })
}

const TO_MAKE_SPACE = 'discard what was written there, free some space, and run the same command again'
const TO_GIVE_ACCESS = 'check its owner and permissions, and the user who runs this'

const HINTS: ReadonlyMap<string, string> = new Map([
  ['ENOSPC', TO_MAKE_SPACE],
  ['EDQUOT', TO_MAKE_SPACE],
  ['EISDIR', 'name a file: this is a directory'],
  ['EACCES', TO_GIVE_ACCESS],
  ['EPERM', TO_GIVE_ACCESS],
])
