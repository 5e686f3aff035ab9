import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { Channel } from '../channel.ts'
import { type ChannelEvent, encodeLine } from './protocol.ts'
import { encodeError } from './wire-error.ts'

/** How long input that a tool has written before it went away may take to reach the script. */
const REST_MILLISECONDS = 1_000

/**
 * Connects a channel with the two sockets of a tool: `data` carries standard input and output as they are, `control` everything
 * else. So the kernel makes a fast side wait for a slow one, and no channel waits for another.
 */
export async function relayChannel(channel: Channel, control: Socket, data: Socket): Promise<void> {
  const { stdin, stdout, stderr, exit } = channel
  const say = (event: ChannelEvent): boolean => !control.writable || control.write(encodeLine(event))
  say({ kind: 'started' })
  const inputTaken = relayInput(data, channel, say)
  stdout.pipe(data, { end: false })
  // A tool that no longer wants the output does not stop the script.
  data.once('close', () => stdout.resume())
  stderr.on('data', (bytes: Buffer) => {
    if (!say({ kind: 'stderr', bytes: bytes.toString('base64') })) stderr.pause()
  })
  control.on('drain', () => stderr.resume())
  const over = Promise.all([
    endOf(stdout).then((error) => {
      data.end()
      say({ kind: 'ended', stream: 'stdout', ...error })
    }),
    endOf(stderr).then((error) => say({ kind: 'ended', stream: 'stderr', ...error })),
    exit.then(
      (status) => say({ kind: 'exit', status }),
      (error: unknown) => say({ kind: 'no-exit', error: encodeError(error) }),
    ),
  ]).then(() => control.end())
  const gone = new Promise<void>((resolve) => void control.once('end', resolve).once('close', resolve))
  control.resume()
  await Promise.race([over, gone])
  // Normally the tool closes the sockets after it has read everything.
  await gone
  await Promise.race([inputTaken, delay(REST_MILLISECONDS)])
  channel.close()
  stdin.destroy()
  control.destroy()
  data.destroy()
}

type Say = (event: ChannelEvent) => boolean

/** Resolves when the script has been given all that the tool has written, or takes no more. */
function relayInput(data: Socket, { stdin }: Channel, say: Say): Promise<void> {
  return new Promise((resolve) => {
    stdin.once('finish', resolve).once('close', resolve)
    stdin.once('error', (error) => {
      say({ kind: 'ended', stream: 'stdin', error: encodeError(error) })
      data.unpipe(stdin).resume()
    })
    data.once('close', () => stdin.end())
    data.pipe(stdin)
  })
}

/** Resolves with the error that ended a stream, if any. */
function endOf(stream: Readable): Promise<{ readonly error?: ReturnType<typeof encodeError> }> {
  if (stream.destroyed) return Promise.resolve({ error: encodeError(stream.errored) })
  return new Promise((resolve) => {
    stream.once('end', () => resolve({}))
    stream.once('error', (error) => resolve({ error: encodeError(error) }))
  })
}
