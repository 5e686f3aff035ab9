import type { Channel, Connection } from '@davit/connection'

import { clientPlace } from '../client/client-place.ts'
import { type MachineFacts, parseFacts } from './facts.ts'
import { type Helper, type HelperOptions, openHelper } from './helper.ts'
import { isConnectionLost } from './proof-of-life.ts'
import { isBroken, MAX_LOSSES, mayPass, reconnect, type ReconnectTerms } from './reconnect.ts'

/**
 * A helper that is replaced when it is lost; activities on the machine go on. If a machine that was reached once goes
 * away, requests wait for it.
 */
export interface KeptHelper {
  /** Facts that the first helper reported, except for the process, which is that of the present one. */
  readonly facts: MachineFacts
  /** Connection of the present helper. */
  readonly connection: Connection
  use<Result>(ask: (helper: Helper) => Promise<Result>): Promise<Result>
  /** Starts a script parallel to the helper. */
  run(script: string): Promise<Channel>
  close(): void
}

export type KeptHelperOptions = HelperOptions & ReconnectTerms

export async function keepHelper(connect: () => Promise<Connection>, options: KeptHelperOptions): Promise<KeptHelper> {
  const connection = await connect()
  let first = await start(connection, options).catch((error: unknown) => {
    if (!isBroken(error)) throw error
  })
  if (first === undefined) {
    const again = async () => void (first = await start(await connect(), options))
    await reconnect(connection.address, again, options)
  }
  return new ReplacedHelper(first as Started, { connect, options })
}

interface Replacement {
  readonly connect: () => Promise<Connection>
  readonly options: KeptHelperOptions
}

class ReplacedHelper implements KeptHelper {
  readonly #facts: MachineFacts
  readonly #replacement: Replacement
  #current: Started
  #reopening: Promise<void> | undefined
  /** The last helper that fell silent, until another one answers. */
  #silent: Started | undefined
  /** Set when two helpers in a row have fallen silent: the error for all further requests. */
  #givenUp: unknown
  /** Whether waiting for the machine has failed: from then on each request tries it only once. */
  #isAbsent = false

  constructor(first: Started, replacement: Replacement) {
    this.#facts = first.facts
    this.#current = first
    this.#replacement = replacement
  }

  get facts(): MachineFacts {
    return { ...this.#facts, helper: this.#current.facts.helper }
  }

  get connection(): Connection {
    return this.#current.connection
  }

  async use<Result>(ask: (helper: Helper) => Promise<Result>): Promise<Result> {
    const used = await this.#present()
    try {
      const result = await ask(used.helper)
      this.#silent = undefined
      return result
    } catch (error) {
      if (isConnectionLost(error) && used === this.#current) this.#noteLoss(used, error)
      throw error
    }
  }

  async run(script: string): Promise<Channel> {
    for (let losses = 0; ; losses += 1) {
      const { connection } = await this.#present()
      try {
        return await connection.run(script)
      } catch (error) {
        // The connection was lost before any part of the script was sent.
        if (!isBroken(error) || losses === MAX_LOSSES) throw error
      }
    }
  }

  close(): void {
    this.#current.helper.close()
  }

  async #present(): Promise<Started> {
    // It may have died unnoticed between two requests.
    if (this.#givenUp === undefined && this.#current.helper.isGone) this.#beginReopening()
    await this.#reopening
    if (this.#givenUp !== undefined) throw this.#givenUp
    return this.#current
  }

  #noteLoss(used: Started, error: unknown): void {
    if (used.helper.isSilent && this.#silent !== undefined && this.#silent !== used) this.#givenUp = error
    if (used.helper.isSilent) this.#silent = used
    if (this.#givenUp === undefined) this.#beginReopening()
  }

  #beginReopening(): void {
    this.#reopening ??= this.#reopen().finally(() => {
      this.#reopening = undefined
    })
    this.#reopening.catch(() => {})
  }

  async #reopen(): Promise<void> {
    const { connect, options } = this.#replacement
    const attempt = async () => {
      const connection = await connect()
      this.#current = await start(connection, options, this.#current).catch((error: unknown) => {
        if (this.#silent !== undefined && isConnectionLost(error)) this.#givenUp = error
        throw this.#givenUp ?? error
      })
    }
    const terms = this.#isAbsent ? { ...options, answerSeconds: 0 } : options
    await reconnect(this.connection.address, attempt, terms).catch((error: unknown) => {
      this.#isAbsent = mayPass(error)
      throw error
    })
    this.#isAbsent = false
  }
}

interface Started {
  readonly connection: Connection
  readonly helper: Helper
  readonly facts: MachineFacts
}

/**
 * Starts a helper, which first ends its predecessor. A lost predecessor may only be stopped: if it went on, it would carry out old
 * requests after what was done because of its silence.
 */
async function start(connection: Connection, options: HelperOptions, predecessor?: Started): Promise<Started> {
  const replaced = predecessor === undefined ? {} : { predecessor: predecessor.facts.helper }
  const place = connection.client === undefined ? {} : { client: clientPlace(connection.client) }
  const helper = await openHelper(connection, { ...options, ...replaced, ...place })
  try {
    return { connection, helper, facts: parseFacts(await helper.request('hello', []), connection.address) }
  } catch (error) {
    helper.close()
    throw error
  }
}
