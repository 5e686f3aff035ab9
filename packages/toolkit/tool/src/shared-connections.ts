import { setTimeout as delay } from 'node:timers/promises'

import {
  type Channel,
  type Connection,
  type connectionPool,
  type ConnectionPool,
  type ConnectionRequest,
  requestKey,
  type SshAnswers,
} from '@davit/connection'
import { type DavitError, hasCode, type Report, type Trace } from '@davit/diagnostics'
import { unlessAborted } from '@davit/process'

import type { Environment } from './tool-context.ts'

/** Opens a pool for one tool. The options belong to the tool: who is told about host keys, and what ends connecting. */
export type OpenPool = (options: PoolOptions) => ConnectionPool

export interface PoolOptions {
  readonly environment: Environment
  readonly answers?: SshAnswers | undefined
  readonly report: Report
  /** That of the tool that connects first also traces the connections of later ones. */
  readonly trace?: Trace | undefined
  readonly signal: AbortSignal
}

/** Connections that the steps of a run share. */
export interface SharedConnections {
  /** Opens a view for one step. Closing it closes what the step has started, and leaves the connections to the next step. */
  readonly open: OpenPool
  close(): Promise<void>
}

export interface ConnectingEffects {
  readonly connectionPool: typeof connectionPool
  /** Milliseconds. */
  now(): number
}

export function sharedConnections(effects: ConnectingEffects): SharedConnections {
  const shared = new ConnectionsOfRun(effects)
  return {
    open(options) {
      const view = new ConnectionsOfStep(shared, options)
      return { connect: (request) => view.connect(request), close: () => view.close() }
    },
    close: () => shared.close(),
  }
}

class ConnectionsOfRun {
  readonly #effects: ConnectingEffects
  #pool: ConnectionPool | undefined
  /** Who is told what happens while connecting: the step that asked last. */
  #report: Report = () => {}
  readonly #reached = new Set<string>()
  readonly #absent = new Map<string, DavitError>()

  constructor(effects: ConnectingEffects) {
    this.#effects = effects
  }

  async connect(request: ConnectionRequest, { environment, answers, report, trace }: PoolOptions): Promise<Connection> {
    const key = requestKey(request)
    const absent = this.#absent.get(key)
    if (absent !== undefined) throw absent
    this.#report = report
    const { connectionPool, now } = this.#effects
    this.#pool ??= connectionPool({ environment, answers, trace, report: (event) => this.#report(event) })
    const since = now()
    try {
      const connection = await this.#pool.connect(request)
      this.#reached.add(key)
      return connection
    } catch (error) {
      const isSlow = now() - since >= SLOW_MILLISECONDS
      if (isSlow && isUnreachable(error) && !this.#reached.has(key)) this.#absent.set(key, error)
      throw error
    }
  }

  async close(): Promise<void> {
    await this.#pool?.close()
  }
}

/**
 * A machine that took longer than this to be found unreachable, and was never reached, is not tried again: its time-out would only
 * be waited for again. One that refuses at once may accept the next time.
 */
const SLOW_MILLISECONDS = 1_000

function isUnreachable(error: unknown): error is DavitError {
  return hasCode(error, 'unreachable')
}

class ConnectionsOfStep {
  readonly #shared: ConnectionsOfRun
  readonly #options: PoolOptions
  readonly #views = new Map<Connection, Connection>()
  readonly #channels = new Set<Channel>()

  constructor(shared: ConnectionsOfRun, options: PoolOptions) {
    this.#shared = shared
    this.#options = options
  }

  async connect(request: ConnectionRequest): Promise<Connection> {
    const connection = await unlessAborted(this.#shared.connect(request, this.#options), this.#options.signal)
    const view = this.#views.get(connection) ?? this.#viewOf(connection)
    this.#views.set(connection, view)
    return view
  }

  async close(): Promise<void> {
    await Promise.all([...this.#channels].map(end))
  }

  #viewOf(connection: Connection): Connection {
    return {
      address: connection.address,
      ...(connection.client === undefined ? {} : { client: connection.client }),
      lost: connection.lost,
      run: async (script) => {
        const channel = await connection.run(script)
        this.#channels.add(channel)
        void channel.exit.catch(() => {}).then(() => this.#channels.delete(channel))
        return channel
      },
      close: async () => {},
    }
  }
}

/** How long a script may take to end by itself. */
const END_MILLISECONDS = 1_000

/** Ends the input of a script, and closes it if it goes on. sshd counts its session, which the next step may need, until it has ended. */
async function end(channel: Channel): Promise<void> {
  channel.stdin.end()
  const ended = new AbortController()
  const late = delay(END_MILLISECONDS, undefined, { signal: ended.signal }).catch(() => {})
  await Promise.race([channel.exit.catch(() => {}), late])
  ended.abort()
  channel.close()
}
