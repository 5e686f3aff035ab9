import type { Readable, Writable } from 'node:stream'
import { protocolError } from './serve-errors.ts'

export type RequestPart = number | string | Uint8Array | readonly string[]

/** Encodes numbers in 8 bytes, little-endian, and texts with their length first, padded to a multiple of 8. */
export function encodeRequest(parts: readonly RequestPart[]): Buffer {
  const buffer = Buffer.alloc(parts.reduce<number>((size, part) => size + sizeOf(part), 0))
  let offset = 0
  const number = (value: number): void => {
    offset = buffer.writeBigUInt64LE(BigInt(value), offset)
  }
  const bytes = (value: Uint8Array): void => {
    number(value.length)
    buffer.set(value, offset)
    offset += value.length + paddingOf(value.length)
  }
  const text = (value: string): void => {
    const length = Buffer.byteLength(value)
    number(length)
    buffer.write(value, offset)
    offset += length + paddingOf(length)
  }
  for (const part of parts) {
    if (typeof part === 'number') number(part)
    else if (typeof part === 'string') text(part)
    else if (part instanceof Uint8Array) bytes(part)
    else {
      number(part.length)
      for (const value of part) text(value)
    }
  }
  return buffer
}

export interface WireWriter {
  write(chunk: Uint8Array): Promise<void>
}

/** Bytes that may wait to be written, enough that neither side ever waits for davit. */
const MAX_WAITING_BYTES = 1024 * 1024

/** Writes as fast as the other side reads. */
export function wireWriter(stream: Writable): WireWriter {
  let waiting = 0
  let failure: Error | undefined
  let wake = (): void => {}
  stream.on('close', () => wake())
  stream.on('error', (error) => {
    failure = error
    wake()
  })
  const hasRoom = (): boolean => waiting <= MAX_WAITING_BYTES
  const check = (): void => {
    if (failure !== undefined) throw failure
    if (stream.destroyed) throw new Error('closed')
  }
  return {
    async write(chunk) {
      check()
      waiting += chunk.length
      stream.write(chunk, () => {
        waiting -= chunk.length
        wake()
      })
      while (!hasRoom()) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        check()
      }
    },
  }
}

export interface WireReader {
  number(): Promise<number>
  text(): Promise<string>
  texts(options: { readonly limit: number }): Promise<readonly string[]>
  /** That many bytes, in chunks as they arrive. */
  bytes(count: number): AsyncIterable<Uint8Array>
  /** Resets the memory that texts may take. */
  startAnswer(): void
}

const MAX_TEXT_BYTES = 4096
const MAX_ANSWER_BYTES = 256 * 1024 * 1024
/** Approximate memory of a short string in addition to its characters. */
const STRING_OVERHEAD = 64

/** Reads answers without trusting any length that the other side states. */
export function wireReader(stream: Readable): WireReader {
  const source = chunkSource(stream)
  let budget = MAX_ANSWER_BYTES

  const number = async (): Promise<number> => {
    const value = (await source.take(8)).readBigUInt64LE()
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw protocolError('a number is too large')
    return Number(value)
  }

  const text = async (): Promise<string> => {
    const length = await number()
    if (length > MAX_TEXT_BYTES) throw protocolError(`a text has ${length} bytes, more than ${MAX_TEXT_BYTES}`)
    budget -= length + STRING_OVERHEAD
    if (budget < 0) throw protocolError('an answer is too long')
    const padded = await source.take(length + paddingOf(length))
    return padded.toString('utf8', 0, length)
  }

  return {
    number,
    text,
    async texts({ limit }) {
      const count = await number()
      if (count > limit) throw protocolError(`a list has ${count} elements, more than ${limit}`)
      const texts: string[] = []
      while (texts.length < count) texts.push(await text())
      return texts
    },
    bytes: (count) => source.pass(count),
    startAnswer() {
      budget = MAX_ANSWER_BYTES
    },
  }
}

interface ChunkSource {
  /** Exactly that many bytes, which should be few. */
  take(count: number): Promise<Buffer>
  pass(count: number): AsyncIterable<Uint8Array>
}

function chunkSource(stream: Readable): ChunkSource {
  // The next read reports the error; until then nobody listens.
  stream.on('error', () => {})
  const chunks = stream.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
  let current: Buffer = Buffer.alloc(0)
  const advance = async (): Promise<Buffer> => {
    const next = await chunks.next()
    if (next.done === true) throw new Error('ended early')
    return next.value
  }
  return {
    async take(count) {
      while (current.length < count) current = Buffer.concat([current, await advance()])
      const taken = current.subarray(0, count)
      current = current.subarray(count)
      return taken
    },
    async *pass(count) {
      for (let left = count; left > 0;) {
        if (current.length === 0) current = await advance()
        const piece = current.subarray(0, left)
        current = current.subarray(piece.length)
        left -= piece.length
        yield piece
      }
    },
  }
}

function sizeOf(part: RequestPart): number {
  if (typeof part === 'number') return 8
  if (typeof part === 'string') return textSize(part)
  if (part instanceof Uint8Array) return 8 + part.length + paddingOf(part.length)
  return part.reduce((size, text) => size + textSize(text), 8)
}

function textSize(text: string): number {
  const length = Buffer.byteLength(text)
  return 8 + length + paddingOf(length)
}

function paddingOf(length: number): number {
  return (8 - (length % 8)) % 8
}
