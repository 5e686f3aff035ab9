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
  /** An answer of so many bytes. */
  askBytes(request: readonly RequestPart[], size: number): AsyncIterable<Uint8Array>
  close(): void
}

export interface OutgoingArchive {
  readonly size: number
  readonly chunks: AsyncIterable<Uint8Array>
}

/** Requests and answers each in their order; both directions at a time, since neither side remembers much. */
export function openServeSession(channel: ServeChannel): ServeSession {
  const line = openLine(channel)
  return {
    async ask(request, read, archive) {
      const [, answer] = await Promise.all([send(line, request, archive), receive(line, read)])
      return answer
    },
    askBytes(request, size) {
      // The turn for its answer is taken now; a failure to send is everybody's, and told by the answer.
      send(line, request).catch(() => {})
      return receiveBytes(line, line.answers.take(), size)
    },
    close() {
      if (line.answers.taken()) line.fail(interrupted('the connection with a Nix store was closed'))
      else channel.stdin.end()
    },
  }
}

interface Line {
  readonly writer: WireWriter
  readonly reader: WireReader
  readonly requests: Turns
  readonly answers: Turns
  /** The first failure is everybody's. */
  fail(error: unknown): void
  /** Throws once it has failed. */
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

/** A stream that broke is told by what the store said last. */
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
  if (left !== 0) throw new DavitError('bad-archive', `an archive does not have the ${size} bytes that were announced`)
}

function interrupted(message: string): DavitError {
  return new DavitError('interrupted', message)
}
