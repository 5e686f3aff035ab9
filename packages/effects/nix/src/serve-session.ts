import { DavitError } from '@davit/diagnostics'
import type { ServeChannel } from './serve-client.ts'
import { storeEnded } from './serve-errors.ts'
import {
  encodeRequest,
  type RequestPart,
  type WireReader,
  wireReader,
  type WireWriter,
  wireWriter,
} from './serve-wire.ts'
import { openTurns, type Turn, type Turns } from './turns.ts'

export interface ServeSession {
  ask<Answer>(
    request: readonly RequestPart[],
    read: (reader: WireReader) => Promise<Answer>,
    archive?: OutgoingArchive,
  ): Promise<Answer>
  /** Asks for an answer of a given number of bytes. */
  askBytes(request: readonly RequestPart[], size: number): AsyncIterable<Uint8Array>
  close(): void
}

export interface OutgoingArchive {
  readonly size: number
  readonly chunks: AsyncIterable<Uint8Array>
}

/** Sends requests and reads answers, each in order. Both happen at the same time, since neither side buffers much. */
export function openServeSession(channel: ServeChannel): ServeSession {
  const line = openLine(channel)
  return {
    async ask(request, read, archive) {
      const [, answer] = await Promise.all([send(line, request, archive), receive(line, read)])
      return answer
    },
    askBytes(request, size) {
      // The turn for its answer is taken now; a failure to send fails all requests, and is reported by the answer.
      send(line, request).catch(() => {})
      return receiveBytes(line, line.answers.take(), size)
    },
    close() {
      if (line.answers.taken()) line.fail(interrupted('the connection to a Nix store was closed'))
      else channel.stdin.end()
    },
  }
}

interface Line {
  readonly writer: WireWriter
  readonly reader: WireReader
  readonly requests: Turns
  readonly answers: Turns
  /** Fails all requests; the first error counts. */
  fail(error: unknown): void
  /** Throws the error once there is one. */
  check(): Promise<void>
}

function openLine(channel: ServeChannel): Line {
  const requests = openTurns()
  const answers = openTurns()
  let failure: Promise<never> | undefined
  return {
    writer: wireWriter(channel.stdin),
    reader: wireReader(channel.stdout),
    requests,
    answers,
    fail(error) {
      if (failure !== undefined) return
      failure = failureOf(channel, error)
      failure.catch(() => {})
      channel.stdin.destroy()
      channel.stdout.destroy()
      requests.stop()
      answers.stop()
    },
    check: async () => failure,
  }
}

/** Rejects with the reason of a failure; a broken stream is explained by the last words of the store. */
async function failureOf({ lastWords }: ServeChannel, error: unknown): Promise<never> {
  if (error instanceof DavitError) throw error
  throw storeEnded((await lastWords?.()) ?? '', error)
}

async function send(line: Line, request: readonly RequestPart[], archive?: OutgoingArchive): Promise<void> {
  await inTurn(line, line.requests.take(), async () => {
    await line.writer.write(encodeRequest(request))
    if (archive !== undefined) await sendArchive(line.writer, archive)
  })
}

function receive<Answer>(line: Line, read: (reader: WireReader) => Promise<Answer>): Promise<Answer> {
  return inTurn(line, line.answers.take(), () => {
    line.reader.startAnswer()
    return read(line.reader)
  })
}

async function inTurn<Result>(line: Line, turn: Turn, use: () => Promise<Result>): Promise<Result> {
  await turn.start
  try {
    await line.check()
    return await use()
  } catch (error) {
    line.fail(error)
    await line.check()
    throw error
  } finally {
    turn.end()
  }
}

async function* receiveBytes(line: Line, turn: Turn, size: number): AsyncGenerator<Uint8Array> {
  await turn.start
  let complete = false
  try {
    await line.check()
    yield* line.reader.bytes(size)
    complete = true
  } catch (error) {
    line.fail(error)
    await line.check()
  } finally {
    turn.end()
    if (!complete) line.fail(interrupted('an archive of a Nix store was not read to its end'))
  }
}

async function sendArchive(writer: WireWriter, { size, chunks }: OutgoingArchive): Promise<void> {
  let left = size
  for await (const chunk of chunks) {
    left -= chunk.length
    if (left < 0) break
    await writer.write(chunk)
  }
  if (left !== 0) throw new DavitError('bad-archive', `an archive does not have its announced size of ${size} bytes`)
}

function interrupted(message: string): DavitError {
  return new DavitError('interrupted', message)
}
