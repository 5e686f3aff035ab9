import { lstat, writeFile } from 'node:fs/promises'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import { reasonOf, writeFileAtomic } from '@davit/files'

/** Where the result of a tool goes. */
export interface ResultOutput {
  print(content: string | Uint8Array): Promise<void>
  /** To be called when the tool has succeeded. */
  finish(): Promise<void>
}

/** A file that appears as a whole, when everything is there. */
export function fileOutput(path: string): ResultOutput {
  const parts: Buffer[] = []
  return {
    async print(content) {
      parts.push(Buffer.from(content as string))
    },
    async finish() {
      const content = Buffer.concat(parts)
      await ((await isSpecial(path)) ? writeInPlace(path, content) : writeFileAtomic(path, content))
    },
  }
}

/** Devices, pipes and links are written to: a file in their place would be the end of them. */
async function isSpecial(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined)
  return found !== undefined && !found.isFile()
}

async function writeInPlace(path: string, content: Buffer): Promise<void> {
  await writeFile(path, content).catch((cause: Error) => {
    throw cannotWrite(cause, `'${path}'`)
  })
}

export interface StreamOutput extends ResultOutput {
  /** Whether the reader went away before everything was written. */
  readonly cutShort: boolean
}

/** Standard output; a reader that goes away is nothing to talk about. */
export function streamOutput(stream: NodeJS.WritableStream): StreamOutput {
  let cutShort = false
  // Each write hears of its own error; the event without a listener would end the process.
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

function cannotWrite(cause: Error, place: string): DavitError {
  return new DavitError('cannot-write', `cannot write to ${place}: ${reasonOf(cause)}`, {
    exitStatus: ExitStatus.cannotCreate,
    hint: 'nothing that was written there counts; make space, and run the same command again',
    cause,
  })
}
