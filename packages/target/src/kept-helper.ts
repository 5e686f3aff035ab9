import type { Connection } from '@davit/connection'
import { serverScript } from '@davit/target-runtime'

import { type MachineFacts, parseFacts } from './facts.ts'
import { type Helper, type HelperOptions, openHelper } from './helper.ts'
import { isConnectionLost } from './proof-of-life.ts'

/** A helper that is replaced when it was lost: what runs on the machine is not touched by that. */
export interface KeptHelper {
  /** What the first one said. */
  readonly facts: MachineFacts
  /** The present one. */
  readonly connection: Connection
  use<Result>(ask: (helper: Helper) => Promise<Result>): Promise<Result>
  close(): void
}

export async function keepHelper(connect: () => Promise<Connection>, options: HelperOptions): Promise<KeptHelper> {
  return new ReplacedHelper(await start(await connect(), options), { connect, options })
}

interface Replacement {
  readonly connect: () => Promise<Connection>
  readonly options: HelperOptions
}

class ReplacedHelper implements KeptHelper {
  readonly facts: MachineFacts
  readonly #replacement: Replacement
  #current: Started
  #reopening: Promise<void> | undefined
  /** It has fallen silent, and none has answered anything since. */
  #silent: Started | undefined
  /** The next one has fallen silent as well: the machine is given up. */
  #givenUp: unknown

  constructor(first: Started, replacement: Replacement) {
    this.facts = first.facts
    this.#current = first
    this.#replacement = replacement
  }

  get connection(): Connection {
    return this.#current.connection
  }

  async use<Result>(ask: (helper: Helper) => Promise<Result>): Promise<Result> {
    // It may have died unnoticed, while nothing was asked of it.
    if (this.#givenUp === undefined && this.#current.helper.isGone) this.#beginReopening()
    await this.#reopening
    if (this.#givenUp !== undefined) throw this.#givenUp
    const used = this.#current
    try {
      const result = await ask(used.helper)
      this.#silent = undefined
      return result
    } catch (error) {
      if (isConnectionLost(error) && used === this.#current) this.#noteLoss(used, error)
      throw error
    }
  }

  close(): void {
    this.#current.helper.close()
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
    const connection = await connect()
    this.#current = await start(connection, options, this.#current).catch((error: unknown) => {
      if (this.#silent !== undefined && isConnectionLost(error)) this.#givenUp = error
      throw error
    })
  }
}

interface Started {
  readonly connection: Connection
  readonly helper: Helper
  readonly facts: MachineFacts
}

/**
 * A predecessor that was lost may still be there, with requests that it has not read: carried out later, by one that was only
 * stopped, they would meet what was done because of its silence.
 */
async function start(connection: Connection, options: HelperOptions, predecessor?: Started): Promise<Started> {
  const scriptOf = (marker: string) => serverScript(marker, predecessor?.facts.helper)
  const helper = await openHelper(connection, { ...options, scriptOf })
  try {
    return { connection, helper, facts: parseFacts(await helper.request('hello', []), connection.address) }
  } catch (error) {
    helper.close()
    throw error
  }
}
