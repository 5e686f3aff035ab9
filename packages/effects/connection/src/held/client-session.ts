import type { Socket } from 'node:net'
import { resolve } from 'node:path'
import type { Report } from '@davit/diagnostics'
import type { Environment } from '@davit/process'
import type { Connection } from '../channel.ts'
import type { SshRequest } from '../hops.ts'
import type { SshPool } from '../ssh-pool.ts'
import { type AnswerWatch, watchAnswers } from './answer-watch.ts'
import { dial } from './dial.ts'
import { type HeldConnection, heldConnection } from './held-connection.ts'
import { HolderGone, holderGone, noHolder } from './holder-gone.ts'
import { type Answer, ANSWERS, encodeLine, parseLine, PROTOCOL } from './protocol.ts'
import { readLines } from './read-lines.ts'
import { decodeError } from './wire-error.ts'

export interface SessionOptions {
  readonly environment: Environment
  readonly report: Report
  readonly attempts?: number | undefined
  /** Connections for scripts that can no longer be started through the holder. */
  readonly own: SshPool
}

/** Begins a session with the holder of a socket; rejects with `HolderGone` if none answers that speaks the same protocol. */
export async function openSession(place: string, options: SessionOptions): Promise<ClientSession> {
  const socket = await dial(place).catch((cause: unknown): never => {
    throw noHolder(place, cause)
  })
  const session = new ClientSession(socket, place, options)
  const { environment, attempts } = options
  socket.write(encodeLine({ kind: 'session', protocol: PROTOCOL, environment, directory: resolve('.'), attempts }))
  await session.welcomed
  return session
}

/** What the pool of a tool asks of a holder. */
export class ClientSession {
  readonly welcomed: Promise<void>
  readonly #socket: Socket
  readonly #place: string
  readonly #own: SshPool
  readonly #watch: AnswerWatch
  /** Rejects with `HolderGone`. */
  readonly #gone: Promise<never>
  readonly #links = new Map<number, HeldConnection>()
  readonly #waiters = new Map<number, (link: number | Error) => void>()
  #welcome = (): void => {}
  #isWelcome = false
  #lastId = 0

  constructor(socket: Socket, place: string, { report, own }: SessionOptions) {
    this.#socket = socket
    this.#place = place
    this.#own = own
    this.#watch = watchAnswers(socket)
    this.#gone = this.#untilGone()
    this.#gone.catch(() => {})
    const welcomed = new Promise<void>((settle) => {
      this.#welcome = () => {
        this.#isWelcome = true
        settle()
      }
    })
    this.welcomed = this.#watch.during(Promise.race([welcomed, this.#gone]))
    readLines(socket, (line) => {
      this.#watch.heard()
      const answer = parseLine(line, ANSWERS)
      if (answer?.kind === 'report') report(answer.event)
      else if (answer !== undefined) this.#take(answer)
      return answer === undefined ? 'bad' : 'go-on'
    })
  }

  /** Returns the same connection for each request that leads to the same link; rejects with `HolderGone` without a holder. */
  async connect(request: SshRequest, { isReturning }: { readonly isReturning: boolean }): Promise<Connection> {
    const link = await this.#ask(request, isReturning)
    const connection = this.#links.get(link) ?? heldConnection({ place: this.#place, link, request }, this.#own)
    this.#links.set(link, connection)
    return connection
  }

  close(): void {
    for (const connection of this.#links.values()) void connection.close()
    this.#socket.destroy()
  }

  async #ask(hops: SshRequest, isReturning: boolean): Promise<number> {
    this.#lastId += 1
    const id = this.#lastId
    const answer = new Promise<number | Error>((settle) => this.#waiters.set(id, settle))
    if (this.#socket.writable) this.#socket.write(encodeLine({ kind: 'connect', id, hops, isReturning }))
    try {
      const link = await this.#watch.during(Promise.race([answer, this.#gone]))
      if (link instanceof Error) throw link
      return link
    } finally {
      this.#waiters.delete(id)
    }
  }

  #take(answer: Exclude<Answer, { kind: 'report' }>): void {
    if (answer.kind === 'welcome') this.#welcome()
    else if (answer.kind === 'connected') this.#waiters.get(answer.id)?.(answer.link)
    else if (answer.kind === 'failed') this.#waiters.get(answer.id)?.(decodeError(answer.error))
    else if (answer.kind === 'lost') {
      this.#links.get(answer.link)?.lose(decodeError(answer.error))
      this.#links.delete(answer.link)
    }
  }

  #whyGone(): string {
    if (this.#watch.isSilent()) return 'it does not answer'
    return this.#isWelcome ? 'it has ended' : 'it refused this version of davit, or has just ended'
  }

  #untilGone(): Promise<never> {
    return new Promise((_, reject) => {
      this.#socket.once('end', () => this.#socket.destroy())
      this.#socket.once('close', () => {
        this.#watch.stop()
        for (const connection of this.#links.values()) connection.lose(holderGone(connection.address))
        this.#links.clear()
        reject(new HolderGone(this.#whyGone()))
      })
    })
  }
}
