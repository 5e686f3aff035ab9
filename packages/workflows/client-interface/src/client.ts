import type { Readable, Writable } from 'node:stream'

import type { Connection } from '@davit/connection'
import { endOfOutput, openScript, readLines, refusalFor, type ScriptChannel } from '@davit/target'
import { type CarriedModule, type ClientOperation, clientScript, encodeField } from '@davit/target-runtime'

/** A machine on which operations are carried out, and what becomes of what they print. */
export interface Client {
  readonly connection: Pick<Connection, 'address' | 'run'>
  /** See `Machine`. */
  readonly answerSeconds?: number | undefined
  readonly signal: AbortSignal
  /** Passes on what an operation prints as its result, or what a module prints. */
  print(content: Uint8Array | string): Promise<void>
  /** Passes on a line that an operation prints on standard error. */
  complain(line: string): void
  readonly environment: { readonly TMPDIR?: string }
}

export interface Operation {
  readonly operation: ClientOperation
  readonly words?: readonly string[]
  readonly modules?: readonly CarriedModule[]
  /** Sends what follows the words. The input stays open, as its end shows that nobody waits any longer. */
  readonly send?: (stdin: Writable) => Promise<void>
  /** Takes the output; by default, it is passed on. */
  readonly receive?: (stdout: Readable) => Promise<void>
  /** Whether a process that it starts may keep the output open when it has ended. */
  readonly mayLinger?: boolean
}

/** Operations that call modules, which may leave something running. */
const CALLING: ReadonlySet<ClientOperation> = new Set(['activity', 'state_activity', 'lock', 'unlock'])

/** Carries out an operation; resolves with its status. A refusal of the script is thrown. */
export async function perform(client: Client, run: Operation): Promise<number> {
  const { signal, connection, answerSeconds } = client
  signal.throwIfAborted()
  const script = (marker: string) => clientScript({ ...run, marker })
  const session = CALLING.has(run.operation) ? 'leave' : 'stay'
  const channel = await openScript(connection, { script, answerSeconds, session })
  const stop = () => channel.close()
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await talk(channel, client, run)
  } catch (error) {
    // Closing the channel is then only a consequence.
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
    channel.close()
  }
}

async function talk({ stdin, stdout, stderr, exit }: ScriptChannel, client: Client, run: Operation): Promise<number> {
  const refusal = refusalIn(stderr, (line) => client.complain(line))
  const received = run.receive?.(stdout) ?? passOn(stdout, client)
  stdin.write(`${(run.words ?? []).map(encodeField).join(' ')}\n`)
  const sent = run.send?.(stdin).catch(ignoreBrokenPipe)
  const output = run.mayLinger === true ? Promise.race([received, afterwards(exit)]) : received
  const [status] = await Promise.all([exit, output, sent])
  await endOfOutput(stderr)
  const refused = status === REFUSED ? refusal() : undefined
  if (refused === undefined) return status
  throw refusalFor(refused.code, { said: refused.said, lines: [] })
}

/** Status of a script that has refused an operation: that of `fail` in `refuse.sh`. */
const REFUSED = 3

/** How long a process in the background may go on printing. */
const LINGERING_MILLISECONDS = 500

async function afterwards(exit: Promise<number>): Promise<void> {
  await exit
  await new Promise((resolve) => setTimeout(resolve, LINGERING_MILLISECONDS))
}

async function passOn(stdout: Readable, { print }: Client): Promise<void> {
  for await (const chunk of stdout) await print(chunk as Uint8Array)
}

/** The script has ended; its status says why. */
function ignoreBrokenPipe(error: unknown): void {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code !== 'EPIPE' && code !== 'ERR_STREAM_PREMATURE_CLOSE' && code !== 'ERR_STREAM_DESTROYED') throw error
}

interface Refusal {
  readonly code: string
  readonly said: string
}

/** Passes on the lines of standard error, but collects a refusal, which comes last. */
function refusalIn(stderr: Readable, complain: (line: string) => void): () => Refusal | undefined {
  const refusal: string[] = []
  // The exit tells that the connection was lost.
  stderr.on('error', () => {})
  readLines(stderr, (line) => {
    if (refusal.length > 0 || /^davit:[a-z-]+$/.test(line)) refusal.push(line)
    else complain(line)
  })
  return () => {
    const [code, ...said] = refusal
    return code === undefined ? undefined : { code: code.replace('davit:', ''), said: said.join('\n') }
  }
}
