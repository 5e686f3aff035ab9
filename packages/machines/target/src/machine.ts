import type { Channel, Connection } from '@davit/connection'
import { DavitError, traced } from '@davit/diagnostics'
import { NO_SECRETS, type Secrets } from '@davit/secrets'
import {
  type ActivityRequestOf,
  operation as operationNamed,
  type OperationName,
  type RequestOf,
  type Role,
} from '@davit/target-runtime'

import { type Client, clientOf } from './client/client.ts'
import { prepareClient } from './client/prepare-client.ts'
import type { MachineFacts } from './helper/facts.ts'
import type { ActivityListener } from './helper/activity-listener.ts'
import { type KeptHelper, keepHelper } from './helper/kept-helper.ts'
import { type NixServe, nixServe } from './nix/serve.ts'
import { isBroken, MAX_LOSSES, type ReconnectTerms } from './helper/reconnect.ts'
import { ANSWER_SECONDS } from './helper/silence.ts'

export { isConnectionLost } from './helper/proof-of-life.ts'

/**
 * A machine and the helper on it that serves one role. If the helper dies, the next request starts another one; activities on the
 * machine go on in the meantime.
 */
export interface Machine<R extends Role = 'deploy'> {
  readonly address: string
  /** If the machine is reached through a client executable: the helper then works on this machine, and has the records of the other. */
  readonly client?: Client
  readonly facts: MachineFacts
  /** How long an answer may be due, on any channel, before a silent machine counts as lost. */
  readonly answerSeconds: number
  /** Resolves with the lines of the answer. Fields are already encoded as words. */
  readonly request: (...request: RequestOf<R>) => Promise<readonly string[]>
  /** See `Helper.requestActivity`. */
  readonly requestActivity: (...request: [...ActivityRequestOf<R>, listener?: ActivityListener]) => Promise<number>
  /** Runs a script on a channel of its own, parallel to the helper, for bulk data. */
  run(script: string): Promise<Channel>
  readonly nixStore: NixServe
  /** Resolves what modules on the machine need to be called with. */
  readonly secrets: Secrets
  close(): void
}

export interface MachineOptions extends ReconnectTerms {
  /** By default, there are none. */
  readonly secrets?: Secrets | undefined
}

/** A machine of any role. The type that callers see restricts the requests to those of the role. */
type OpenedMachine = Omit<Machine, 'request' | 'requestActivity'> & {
  readonly request: (operation: OperationName, fields: readonly string[]) => Promise<readonly string[]>
  readonly requestActivity: (
    operation: OperationName,
    fields: readonly string[],
    listener?: ActivityListener,
  ) => Promise<number>
}

/** Connects to a machine and starts a helper there, for the role `deploy` by default. */
export async function openMachine<R extends Role>(
  connect: () => Promise<Connection>,
  options: MachineOptions & { readonly role: R },
): Promise<Machine<R>>
export async function openMachine(connect: () => Promise<Connection>, options?: MachineOptions): Promise<Machine>
export async function openMachine(
  connect: () => Promise<Connection>,
  { answerSeconds = ANSWER_SECONDS, secrets = NO_SECRETS, ...terms }: MachineOptions & { readonly role?: Role } = {},
): Promise<OpenedMachine> {
  const kept = await keepHelper(connect, { ...terms, answerSeconds })
  const { client } = kept.connection
  const place = {
    address: kept.connection.address,
    answerSeconds,
    run: (script: string) => traced(terms.trace, channelSpan(kept, script), () => kept.run(script)),
    request: (operation: OperationName, fields: readonly string[]) => requestOf(kept, operation, fields),
  }
  const nixStore = nixServe(place)
  return {
    ...place,
    ...(client === undefined ? {} : { client: await prepareClient(clientOf(place, client), kept.facts) }),
    get facts() {
      return kept.facts
    },
    nixStore,
    secrets: client === undefined ? secrets : withoutSecrets(secrets),
    requestActivity: (...request) => kept.use((helper) => helper.requestActivity(...request)),
    close() {
      nixStore.close()
      kept.close()
    },
  }
}

/** The client protocol has no way for secrets but arguments, which everybody on this machine can read. */
function withoutSecrets(secrets: Secrets): Secrets {
  const resolve = async () => {
    throw new DavitError('secret-unresolved', 'a client executable would get it as an argument, which others can read')
  }
  return { ...secrets, resolve }
}

function channelSpan({ connection }: KeptHelper, script: string) {
  return { kind: 'channel', name: 'open channel', place: connection.address, fields: { out: script.length } } as const
}

async function requestOf(
  kept: KeptHelper,
  operation: OperationName,
  fields: readonly string[],
): Promise<readonly string[]> {
  const { isRepeatable = false } = operationNamed(operation)
  for (let losses = 0; ; losses += 1) {
    try {
      return await kept.use((helper) => helper.request(operation, fields))
    } catch (error) {
      if (!isBroken(error) || !isRepeatable || losses === MAX_LOSSES) throw error
    }
  }
}
