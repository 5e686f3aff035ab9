import type { Client } from '@davit/client-interface'
import { connectionPool, type ConnectionRequest } from '@davit/connection'
import { parseProfileName } from '@davit/documents'
import { secondsIn, type ToolContext } from '@davit/tool'

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
  parseProfileName(args.profile)
  const operation = OPERATIONS[operationOf(args)]
  const work = operation(args, context)
  const answerSeconds = secondsIn(context.environment, 'DAVIT_ANSWER_TIMEOUT')
  const pool = openPool(context)
  try {
    const connection = await pool.connect(place.request)
    return await work({ client: clientOf(context, { connection, answerSeconds }), place })
  } catch (error) {
    // The connection is only lost because it was closed.
    signal.throwIfAborted()
    throw error
  } finally {
    await pool.close()
  }
}

function clientOf(
  { signal, environment, report, print }: ToolContext<Arguments>,
  link: Pick<Client, 'connection' | 'answerSeconds'>,
): Client {
  return {
    ...link,
    signal,
    environment,
    print,
    complain(line) {
      const told = line.replace(/^davit: /, '')
      report(told === line ? say('machine-says', { line }) : say('machine-complains', { line: told }))
    },
  }
}
