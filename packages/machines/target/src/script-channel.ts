import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import type { Connection } from '@davit/connection'
import { DavitError, ExitStatus } from '@davit/diagnostics'

import { afterMarker, newMarker } from './helper/after-marker.ts'
import { watchChannel } from './helper/channel-watch.ts'
import { loadScript } from './helper/load-script.ts'
import { ANSWER_SECONDS } from './helper/silence.ts'

/** A script that runs on a machine, on a channel of its own. */
export interface ScriptChannel {
  readonly stdin: Writable
  /** Output of the script, without what the login shell printed before. */
  readonly stdout: Readable
  readonly stderr: Readable
  readonly exit: Promise<number>
  close(): void
}

export interface ScriptToOpen {
  /** Returns a script that prints the marker line before it reads any input. */
  readonly script: (marker: string) => string
  readonly answerSeconds?: number | undefined
  /** By default it stays in the login session; see `ScriptToStart`. */
  readonly session?: 'stay' | 'leave'
}

/** Starts a script; resolves when it has begun. */
export async function openScript(
  connection: Pick<Connection, 'address' | 'run'>,
  { script, answerSeconds = ANSWER_SECONDS, session = 'stay' }: ScriptToOpen,
): Promise<ScriptChannel> {
  const marker = newMarker()
  const channel = await loadScript(connection, { script: script(marker), marker, session })
  const { filter, started } = afterMarker(marker)
  // Readers of the output receive its error.
  pipeline(channel.stdout, filter).catch(() => {})
  const watch = watchChannel(channel, { address: connection.address, seconds: answerSeconds })
  if (!(await Promise.race([started, watch.silent]).finally(() => watch.stop()))) throw noScript(connection.address)
  const { stdin, stderr, exit } = channel
  return { stdin, stdout: filter, stderr, exit, close: () => channel.close() }
}

function noScript(address: string): DavitError {
  return new DavitError('no-shell', `cannot run a script on '${address}'`, {
    exitStatus: ExitStatus.unreachable,
    hint: 'check what its login shell does when a command is passed to it',
  })
}
