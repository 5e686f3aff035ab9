import type { Client } from '@davit/client-interface'
import { connectionPool, type ConnectionRequest } from '@davit/connection'
import { parseProfileName } from '@davit/documents'
import type { ToolContext } from '@davit/tool'

import { type Arguments, operationOf } from './arguments.ts'
import { say } from './messages.ts'
import { OPERATIONS } from './operations.ts'

/** The machine of the operation. */
export interface Place {
  readonly request: ConnectionRequest
  /** Returns a command that runs a script of that machine with a terminal. */
  shell(script: string): readonly [string, ...string[]]
}

/** Connects to the machine, and carries out the operation that the arguments name. */
export async function carryOut(context: ToolContext<Arguments>, place: Place): Promise<number> {
  const { args, openPool = connectionPool, signal } = context
  const operation = OPERATIONS[operationOf(args)]
  parseProfileName(args.profile)
  const work = operation(args, context)
  const pool = openPool(context)
  try {
    return await work({ client: await clientOf(context, () => pool.connect(place.request)), place })
  } catch (error) {
    // The connection is only lost because it was closed.
    signal.throwIfAborted()
    throw error
  } finally {
    await pool.close()
  }
}

async function clientOf(context: ToolContext<Arguments>, connect: () => ReturnType<ConnectOf>): Promise<Client> {
  const { signal, environment, report, print } = context
  return {
    connection: await connect(),
    signal,
    environment,
    print,
    complain(line) {
      const told = line.replace(/^davit: /, '')
      report(told === line ? say('machine-says', { line }) : say('machine-complains', { line: told }))
    },
  }
}

type ConnectOf = ReturnType<typeof connectionPool>['connect']
