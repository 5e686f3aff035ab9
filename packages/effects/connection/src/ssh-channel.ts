import { constants } from 'node:os'
import { PassThrough, type Readable, Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { DavitError, ExitStatus, hasCode } from '@davit/diagnostics'
import type { ClientChannel } from 'ssh2'
import { BOOTSTRAP_COMMAND, scriptLine } from './bootstrap.ts'
import type { Channel } from './channel.ts'
import { channelClosed, channelExit, connectionLost } from './channel-exit.ts'
import type { SshLink } from './ssh-link.ts'

export async function openSshChannel(link: SshLink, script: string): Promise<Channel> {
  const line = scriptLine(script)
  const open = () =>
    execute(link, (remote) => {
      const channel = channelOver(remote, link)
      remote.write(line)
      return channel
    })
  for (;;) {
    try {
      return await open()
    } catch (error) {
      if (!isRefusal(error) || !hasJustClosed(link)) throw error
      await delay(AGAIN_MILLISECONDS)
    }
  }
}

/** When a channel of a link was last closed. */
const closings = new WeakMap<SshLink, number>()

/** How long sshd may still count a session that was closed, until it has noticed the end of its process. */
const LINGERING_MILLISECONDS = 5_000
const AGAIN_MILLISECONDS = 50

function hasJustClosed(link: SshLink): boolean {
  return performance.now() - (closings.get(link) ?? -Infinity) < LINGERING_MILLISECONDS
}

function isRefusal(error: unknown): boolean {
  return hasCode(error, 'session-refused')
}

/** Calls `begin` synchronously: a command that ends quickly, such as nologin, would be over before a promise settles. */
function execute({ client, configuration }: SshLink, begin: (remote: ClientChannel) => Channel): Promise<Channel> {
  const { address, sessionVariables: env } = configuration
  return new Promise((resolve, reject) => {
    try {
      client.exec(BOOTSTRAP_COMMAND, { env }, (error, remote) => {
        if (error) reject(refusedSession(address, error))
        else resolve(begin(remote))
      })
    } catch (error) {
      reject(connectionLost(address, error instanceof Error ? error.message.toLowerCase() : 'closed'))
    }
  })
}

function refusedSession(address: string, error: Error): DavitError {
  if (!('reason' in error)) return connectionLost(address, error.message.toLowerCase())
  return new DavitError('session-refused', `cannot open another session on '${address}': ${error.message}`, {
    exitStatus: ExitStatus.unreachable,
    hint: 'check whether its sshd limits sessions (MaxSessions) or forbids commands',
    cause: error,
  })
}

/**
 * ssh2's channel is one duplex stream. It swallows writes to an ended session without calling back, and when the link
 * breaks it ends as if everything had been read. So each direction gets a stream of its own, which fails instead.
 */
function channelOver(remote: ClientChannel, link: SshLink): Channel {
  const { address } = link.configuration
  const exit = channelExit()
  const stdin = inputOf(remote)
  const stdout = outputOf(remote)
  const stderr = outputOf(remote.stderr)
  const stop = (error: DavitError): void => {
    exit.reject(error)
    for (const stream of [stdin, stdout, stderr]) stream.destroy(error)
  }
  const forget = link.onEnd((error) => stop(error ?? channelClosed(address)))
  remote.on('error', () => {})
  remote.once('exit', (code: number | null, signal?: string) => {
    exit.resolve(code ?? 128 + signalNumber(signal))
    stdin.destroy(brokenPipe())
  })
  remote.once('close', () => {
    forget()
    stdin.destroy(brokenPipe())
    exit.reject(connectionLost(address, 'the session ended without an exit status'))
  })
  return {
    stdin,
    stdout,
    stderr,
    exit: exit.promise,
    close() {
      forget()
      stop(channelClosed(address))
      remote.close()
      closings.set(link, performance.now())
    },
  }
}

function inputOf(remote: ClientChannel): Writable {
  const stdin = new Writable({
    write: (chunk, _encoding, done) => void remote.write(chunk, done),
    final(done) {
      remote.end()
      done()
    },
    destroy(error, done) {
      remote.end()
      done(error)
    },
  })
  return stdin.on('error', () => {})
}

function outputOf(remote: Readable): Readable {
  const output = new PassThrough()
  remote.pipe(output, { end: false })
  remote.once('end', () => {
    if (!output.destroyed) output.end()
  })
  // Unwanted output must still be taken off the link.
  output.once('close', () => remote.resume())
  return output.on('error', () => {})
}

function brokenPipe(): Error {
  return Object.assign(new Error('write EPIPE: the script has ended'), { code: 'EPIPE' })
}

function signalNumber(name: string | undefined): number {
  return Object.entries(constants.signals).find(([signal]) => signal === name)?.[1] ?? 0
}
