import type { Channel, Connection } from '@davit/connection'
import { DavitError } from '@davit/diagnostics'

import { type MachineFacts, parseFacts } from './facts.ts'
import { type Helper, openHelper } from './helper.ts'
import { type NixServe, nixServe } from './nix-serve.ts'

/** A machine with a helper on it. A helper that died is started again by the next request: what runs on the machine is not touched by that. */
export interface Machine {
  readonly address: string
  readonly facts: MachineFacts
  request(operation: string, fields: readonly string[]): Promise<readonly string[]>
  requestActivity(operation: string, fields: readonly string[]): Promise<number>
  /** A script of its own beside the helper, for bulk data. */
  run(script: string): Promise<Channel>
  readonly nixStore: NixServe
  close(): void
}

export async function openMachine(connect: () => Promise<Connection>): Promise<Machine> {
  let connection = await connect()
  let helper = await openHelper(connection)
  const facts = parseFacts(await helper.request('hello', []), connection.address)
  let reopening: Promise<void> | undefined

  const reopen = async () => {
    connection = await connect()
    helper = await openHelper(connection)
  }
  const beginReopening = () => {
    reopening ??= reopen().finally(() => {
      reopening = undefined
    })
    reopening.catch(() => {})
  }
  const withHelper = async <Result>(use: (helper: Helper) => Promise<Result>): Promise<Result> => {
    // It may have died unnoticed, while nothing was asked of it.
    if (helper.isGone) beginReopening()
    await reopening
    const used = helper
    try {
      return await use(used)
    } catch (error) {
      if (isConnectionLost(error) && helper === used) beginReopening()
      throw error
    }
  }
  const place = { address: connection.address, run: (script: string) => connection.run(script) }
  const nixStore = nixServe(place)
  return {
    ...place,
    facts,
    nixStore,
    request: (operation, fields) => withHelper((used) => used.request(operation, fields)),
    requestActivity: (operation, fields) => withHelper((used) => used.requestActivity(operation, fields)),
    close() {
      nixStore.close()
      helper.close()
    },
  }
}

export function isConnectionLost(error: unknown): boolean {
  return error instanceof DavitError && error.code === 'connection-lost'
}
