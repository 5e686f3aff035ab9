import { DavitError, ExitStatus } from '@davit/diagnostics'
import { type Environment, unlessAborted } from '@davit/process'
import type { Connection } from '../channel.ts'
import { requestKey, type SshRequest } from '../hops.ts'
import { say } from '../messages.ts'
import type { SshOptions } from '../ssh-options.ts'
import { type SshPool, sshPool } from '../ssh-pool.ts'
import { type ClientSession, openSession } from './client-session.ts'
import { HolderGone } from './holder-gone.ts'
import { whyForeign } from './place.ts'

/** Variable that names the socket of a holder. */
export const HOLDER_VARIABLE = 'DAVIT_CONNECT'

/** Connections of a holder. Once that is gone, or if it must not be trusted, they come from `own`. */
export function heldPool(place: string, options: SshOptions, own: SshPool): SshPool {
  const { signal } = options
  const closing = new AbortController()
  const stopped = signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal])
  const holder = findHolder(place, options, own)
  const reached = new Set<string>()
  const connect = async (request: SshRequest): Promise<Connection> => {
    const session = await holder.session()
    if (session === undefined) return own.connect(request)
    try {
      const key = requestKey(request)
      const connection = await session.connect(request, { isReturning: reached.has(key) })
      reached.add(key)
      return connection
    } catch (error) {
      stopped.throwIfAborted()
      holder.leave(error)
      return own.connect(request)
    }
  }
  return {
    connect: (request) => unlessAborted(connect(request), stopped),
    async close() {
      const interrupted = { exitStatus: ExitStatus.interrupted }
      closing.abort(new DavitError('interrupted', 'connections are being closed', interrupted))
      holder.close()
      await own.close()
    },
  }
}

/** Whether the environment names a holder that serves this user. */
export async function isHolderThere(environment: Environment): Promise<boolean> {
  const { [HOLDER_VARIABLE]: place = '' } = environment
  if (place === '') return false
  const holder = findHolder(place, { environment }, sshPool({ environment }))
  try {
    return (await holder.session()) !== undefined
  } finally {
    holder.close()
  }
}

interface FoundHolder {
  /** The session with the holder, which begins with the first call; nothing without a holder. */
  session(): Promise<ClientSession | undefined>
  /** Goes on without the holder if that is what the error says; throws any other error. */
  leave(error: unknown): void
  close(): void
}

function findHolder(place: string, options: SshOptions, own: SshPool): FoundHolder {
  const { report = () => {} } = options
  let session: Promise<ClientSession | undefined> | undefined
  let isLeft = false
  const noteGone = (error: unknown): void => {
    if (!(error instanceof HolderGone)) throw error
    if (!isLeft) report(say('holder-gone', { reason: error.message }))
    isLeft = true
  }
  const begin = async (): Promise<ClientSession | undefined> => {
    const reason = await whyForeign(place)
    if (reason !== undefined) {
      report(say('holder-foreign', { socket: place, reason }))
      return undefined
    }
    try {
      return await openSession(place, { ...options, report, own })
    } catch (error) {
      noteGone(error)
      return undefined
    }
  }
  return {
    async session() {
      session ??= begin()
      return isLeft ? undefined : session
    },
    leave: noteGone,
    close: () => void session?.then((found) => found?.close()),
  }
}
