import type { Socket } from 'node:net'

const NEWLINE = 10

/** Longest line: an environment has at most 2 MB, and JSON may need several times as many. */
const MAX_LINE = 16 * 1024 * 1024

/** Calls back with each line until the socket ends. Destroys the socket when a line is too long, or the callback says so. */
export function readLines(socket: Socket, take: (line: string) => 'go-on' | 'bad'): void {
  let parts: Buffer[] = []
  let size = 0
  const keep = (bytes: Buffer): void => {
    parts.push(bytes)
    size += bytes.length
  }
  const takeLine = (): 'go-on' | 'bad' => {
    const line = Buffer.concat(parts).toString()
    parts = []
    size = 0
    return take(line)
  }
  socket.on('data', (chunk: Buffer) => {
    let rest = chunk
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
      keep(rest.subarray(0, end))
      rest = rest.subarray(end + 1)
      if (takeLine() === 'bad') return void socket.destroy()
    }
    keep(rest)
    if (size > MAX_LINE) socket.destroy()
  })
  socket.resume()
}

/** Resolves with the first line, and leaves the rest to be read; with nothing if the socket ends before, or is too late. */
export function readFirstLine(socket: Socket, milliseconds: number): Promise<string | undefined> {
  const parts: Buffer[] = []
  let size = 0
  return new Promise((resolve) => {
    const finish = (line: string | undefined): void => {
      clearTimeout(timer)
      socket.off('data', take).off('close', stop).off('end', stop)
      resolve(line)
    }
    const stop = (): void => {
      socket.destroy()
      finish(undefined)
    }
    const take = (chunk: Buffer): void => {
      const end = chunk.indexOf(NEWLINE)
      parts.push(end === -1 ? chunk : chunk.subarray(0, end))
      size += chunk.length
      if (end === -1) return size > MAX_LINE ? stop() : undefined
      socket.pause()
      if (end + 1 < chunk.length) socket.unshift(chunk.subarray(end + 1))
      finish(Buffer.concat(parts).toString())
    }
    const timer = setTimeout(stop, milliseconds)
    socket.on('data', take).once('close', stop).once('end', stop)
  })
}
