import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { PassThrough, type Readable, Writable } from 'node:stream'
import type { DavitError } from '@davit/diagnostics'
import type { Channel } from '../channel.ts'
import { channelClosed, channelExit } from '../channel-exit.ts'
import { requestText, type SshRequest } from '../hops.ts'
import { dial } from './dial.ts'
import { holderGone, noHolder } from './holder-gone.ts'
import { CHANNEL_EVENTS, type ChannelEvent, encodeLine, parseLine } from './protocol.ts'
import { readLines } from './read-lines.ts'
import { decodeError } from './wire-error.ts'

/** A link in a holder, as a tool knows it. */
export interface LinkReference {
  /** Socket of the holder. */
  readonly place: string
  readonly link: number
  readonly request: SshRequest
}

export interface HeldChannel extends Channel {
  /** Resolves when nothing of it is left. */
  readonly over: Promise<void>
}

/** As much unread error output as ssh's window would hold. The exit status comes behind it. */
const STDERR_WINDOW = 2 * 1024 * 1024

/** Starts a script on a link that a holder has. Rejects with `HolderGone` if nothing was sent since there is no holder. */
export async function openHeldChannel(reference: LinkReference, script: string): Promise<HeldChannel> {
  const { place, link, request } = reference
  const address = requestText(request)
  const [control, data] = await Promise.all([dial(place), dial(place)]).catch((cause: unknown): never => {
    throw noHolder(place, cause)
  })
  const name = randomBytes(16).toString('hex')
  data.write(encodeLine({ kind: 'data', channel: name }))
  control.write(encodeLine({ kind: 'run', channel: name, link, script }))
  return new Promise((resolve, reject) => {
    const sockets = { control, data }
    const channel = channelOver(sockets, address)
    const fail = (error: Error): void => {
      control.destroy()
      data.destroy()
      reject(error)
    }
    control.once('close', () => reject(holderGone(address)))
    readLines(control, (line) => {
      const event = parseLine(line, CHANNEL_EVENTS)
      if (event?.kind === 'started') resolve(channel)
      else if (event?.kind === 'refused') fail(decodeError(event.error))
      else if (event !== undefined) channel.take(event)
      return event === undefined ? 'bad' : 'go-on'
    })
  })
}

interface Sockets {
  readonly control: Socket
  readonly data: Socket
}

/** A channel, and what the holder says about it. */
type FedChannel = HeldChannel & { take(event: ChannelEvent): void }

function channelOver({ control, data }: Sockets, address: string): FedChannel {
  const exit = channelExit()
  const stdin = inputOf(data, exit.promise)
  const { stdout, end: endStdout } = outputOf(data)
  const stderr = new PassThrough({ readableHighWaterMark: STDERR_WINDOW }).on('error', () => {})
  const ends = { stdin: () => {}, stdout: endStdout, stderr: () => stderr.end() }
  const streams = { stdin, stdout, stderr }
  const stop = (error: DavitError): void => {
    exit.reject(error)
    for (const stream of Object.values(streams)) stream.destroy(error)
  }
  const take = (event: ChannelEvent): void => {
    if (event.kind === 'stderr') passOn(Buffer.from(event.bytes, 'base64'), stderr, control)
    else if (event.kind === 'exit') exit.resolve(event.status)
    else if (event.kind === 'no-exit') exit.reject(decodeError(event.error))
    else if (event.kind !== 'ended') return
    else if (event.error !== undefined) streams[event.stream].destroy(decodeError(event.error))
    else if (!streams[event.stream].destroyed) ends[event.stream]()
  }
  const owed = new Set(['stdout', 'stderr', 'exit'])
  const isComplete = (): boolean => owed.size === 0
  control.once('close', () => (isComplete() ? data.destroy() : stop(holderGone(address))))
  closeWhenRead({ control, data }, stdout, isComplete)
  return {
    ...streams,
    exit: exit.promise,
    over: new Promise((resolve) => void control.once('close', resolve)),
    take(event) {
      take(event)
      owed.delete(event.kind === 'ended' ? event.stream : event.kind === 'no-exit' ? 'exit' : event.kind)
    },
    close() {
      stop(channelClosed(address))
      data.resume()
      control.resume().end()
    },
  }
}

/** The holder keeps a channel about which it has said everything until the output has been read. */
function closeWhenRead({ control }: Sockets, stdout: Readable, isComplete: () => boolean): void {
  control.once('end', () => {
    if (!isComplete()) control.destroy()
    else if (stdout.closed) control.end()
    else stdout.once('close', () => control.end())
  })
}

/** Passes error output on, and reads no more of the socket until it was taken. */
function passOn(bytes: Buffer, stderr: PassThrough, control: Socket): void {
  if (stderr.destroyed || stderr.write(bytes)) return
  control.pause()
  const resume = (): void => {
    stderr.off('drain', resume).off('close', resume)
    control.resume()
  }
  stderr.once('drain', resume).once('close', resume)
}

/** Input that fails with what the holder says, rather than with what the socket notices. */
function inputOf(data: Socket, exit: Promise<number>): Writable {
  const settled = exit.catch(() => {})
  const stdin = new Writable({
    write(chunk, _encoding, done) {
      data.write(chunk, (error) => (error ? void settled.then(() => done(error)) : done()))
    },
    final(done) {
      data.end()
      done()
    },
    destroy(error, done) {
      data.end()
      done(error)
    },
  })
  return stdin.on('error', () => {})
}

/** Output that ends only when the holder says so: the socket also ends when the holder is gone. */
function outputOf(data: Socket): { readonly stdout: Readable; end(): void } {
  const stdout = new PassThrough()
  let isRead = false
  let isSaid = false
  const endOnceBoth = (): void => {
    if (isRead && isSaid && !stdout.destroyed) stdout.end()
  }
  data.pipe(stdout, { end: false })
  data.once('end', () => {
    isRead = true
    endOnceBoth()
  })
  // Unwanted output must still be taken from the holder.
  stdout.once('close', () => data.resume()).on('error', () => {})
  return {
    stdout,
    end() {
      isSaid = true
      endOnceBoth()
    },
  }
}
