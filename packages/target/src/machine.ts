import type { Channel, Connection } from '@davit/connection'

import type { MachineFacts } from './facts.ts'
import type { Helper } from './helper.ts'
import { keepHelper } from './kept-helper.ts'
import { type NixServe, nixServe } from './nix-serve.ts'
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

export interface MachineOptions {
  readonly answerSeconds?: number | undefined
}

export async function openMachine(
  connect: () => Promise<Connection>,
  { answerSeconds = ANSWER_SECONDS }: MachineOptions = {},
): Promise<Machine> {
  const kept = await keepHelper(connect, { answerSeconds })
  const { facts } = kept
  const place = {
    address: kept.connection.address,
    answerSeconds,
    run: (script: string) => kept.connection.run(script),
    request: (operation: string, fields: readonly string[]) => kept.use((helper) => helper.request(operation, fields)),
  }
  const nixStore = nixServe(place)
  return {
    ...place,
    facts,
    nixStore,
    requestActivity: (...request) => kept.use((helper) => helper.requestActivity(...request)),
    close() {
      nixStore.close()
      kept.close()
    },
  }
}
