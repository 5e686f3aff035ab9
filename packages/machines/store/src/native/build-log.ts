import { closeSync, openSync, writeFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { systemErrorCode } from '@davit/files'

export interface BuildLog {
  /** Reads the output to its end. */
  follow(output: Readable): Promise<void>
  /** The last lines. */
  end(): string
  close(): void
}

const MAX_FILE_BYTES = 64 * 1024 * 1024
const TAIL_BYTES = 16 * 1024
const TAIL_LINES = 25

/** Writes output to a file, up to a limit, and remembers its end. */
export function openBuildLog(path: string): BuildLog {
  const file = openSync(path, 'w', 0o644)
  let written = 0
  let tail = Buffer.alloc(0)
  /** A full disk must not hide the output of the build. */
  let isFull = false
  const write = (text: Buffer): void => {
    try {
      writeFileSync(file, text)
    } catch (error) {
      if (systemErrorCode(error) === undefined) throw error
      isFull = true
    }
  }
  const add = (chunk: Buffer): void => {
    const room = chunk.subarray(0, MAX_FILE_BYTES - written)
    if (room.length > 0 && !isFull) write(room)
    written += room.length
    tail = Buffer.concat([tail, chunk]).subarray(-TAIL_BYTES)
  }
  return {
    async follow(output) {
      for await (const chunk of output) add(chunk as Buffer)
    },
    end: () => logEndOf(tail),
    close: () => closeSync(file),
  }
}

/** Last lines of the output of a build. */
export function logEndOf(tail: Buffer): string {
  return tail.toString('utf8').trimEnd().split('\n').slice(-TAIL_LINES).join('\n')
}
