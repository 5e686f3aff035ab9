import type { Channel, Connection } from '@davit/connection'

import type { MachineFacts } from './facts.ts'
import type { Helper } from './helper.ts'
import { type KeptHelper, keepHelper } from './kept-helper.ts'
import { type NixServe, nixServe } from './nix-serve.ts'
import { isBroken, MAX_LOSSES, type ReconnectTerms } from './reconnect.ts'
import { ANSWER_SECONDS } from './silence.ts'

export { isConnectionLost } from './proof-of-life.ts'

/** A machine with a helper on it. A helper that died is started again by the next request: what runs on the machine is not touched by that. */
export interface Machine {
  readonly address: string
  readonly facts: MachineFacts
  /** How long it may owe an answer and say nothing, on any channel; then it counts as lost. */
  readonly answerSeconds: number
  request(operation: string, fields: readonly string[]): Promise<readonly string[]>
  requestActivity: Helper['requestActivity']
  /** A script of its own beside the helper, for bulk data. */
  run(script: string): Promise<Channel>
  readonly nixStore: NixServe
  close(): void
}

export type MachineOptions = ReconnectTerms

export async function openMachine(
  connect: () => Promise<Connection>,
  { answerSeconds = ANSWER_SECONDS, ...terms }: MachineOptions = {},
): Promise<Machine> {
  const kept = await keepHelper(connect, { ...terms, answerSeconds })
  const place = {
    address: kept.connection.address,
    answerSeconds,
    run: (script: string) => kept.run(script),
    request: (operation: string, fields: readonly string[]) => requestOf(kept, operation, fields),
  }
  const nixStore = nixServe(place)
  return {
    ...place,
    get facts() {
      return kept.facts
    },
    nixStore,
    requestActivity: (...request) => kept.use((helper) => helper.requestActivity(...request)),
    close() {
      nixStore.close()
      kept.close()
    },
  }
}

async function requestOf(kept: KeptHelper, operation: string, fields: readonly string[]): Promise<readonly string[]> {
  for (let losses = 0; ; losses += 1) {
    try {
      return await kept.use((helper) => helper.request(operation, fields))
    } catch (error) {
      if (!isBroken(error) || !REPEATABLE.has(operation) || losses === MAX_LOSSES) throw error
    }
  }
}

/** Operations that come to the same when they are carried out twice: their answer may have been lost. */
const REPEATABLE: ReadonlySet<string> = new Set([
  'lock',
  'renew',
  'lock_state',
  'observe',
  'log',
  'resolve',
  'set_profile',
  'protect',
  'native_missing',
  'native_discard',
  'native_survey',
])
