import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { SshConfiguration } from './ssh-configuration.ts'
import { reasonOf, unreachable } from './ssh-error.ts'

/** Node gives each address of a host 250 ms before it tries the next one, too little for distant machines. */
const ADDRESS_MILLISECONDS = 2_000

/** Opens a TCP connection to a host's sshd, with as many attempts as ConnectionAttempts allows. */
export async function connectSocket(configuration: SshConfiguration, signal: AbortSignal): Promise<Socket> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await connectOnce(configuration, signal)
    } catch (error) {
      if (signal.aborted || tried >= configuration.connectionAttempts) throw error
    }
    await delay(BETWEEN_ATTEMPTS_MILLISECONDS, undefined, { signal })
  }
}

/** The pause that OpenSSH makes. */
const BETWEEN_ATTEMPTS_MILLISECONDS = 1_000

async function connectOnce(configuration: SshConfiguration, signal: AbortSignal): Promise<Socket> {
  signal.throwIfAborted()
  const { hostname, port, connectTimeoutSeconds } = configuration
  const socket = socketTo(configuration)
  const place = `${hostname} port ${port}`
  const failed = (reason: string, cause?: unknown): Error =>
    unreachable(configuration.address, `${reason} (${place})`, {
      hint: 'check the address, and that sshd runs there',
      cause,
    })
  return new Promise((resolve, reject) => {
    const stop = (error: unknown): void => {
      finish()
      socket.on('error', () => {}).destroy()
      reject(error)
    }
    const abort = (): void => stop(signal.reason)
    const fail = (error: Error): void => stop(failed(reasonOf(error), error))
    const timer = setTimeout(
      () => stop(failed(`no answer within ${connectTimeoutSeconds} s`)),
      connectTimeoutSeconds * 1000,
    )
    const finish = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      socket.off('error', fail)
    }
    signal.addEventListener('abort', abort, { once: true })
    socket.once('error', fail).once('connect', () => {
      finish()
      resolve(socket)
    })
  })
}

function socketTo({ hostname, port, addressFamily, bindAddress }: SshConfiguration): Socket {
  return connect({
    host: hostname,
    port,
    family: addressFamily,
    noDelay: true,
    ...(bindAddress === undefined ? {} : { localAddress: bindAddress }),
    autoSelectFamilyAttemptTimeout: ADDRESS_MILLISECONDS,
  })
}
