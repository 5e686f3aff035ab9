import type { Client } from '@davit/client-interface'
import { connectionPool, type ConnectionRequest } from '@davit/connection'
import { parseProfileName } from '@davit/documents'
import { secondsIn, type ToolContext } from '@davit/tool'

import { type Arguments, checkContainer, operationOf } from './arguments.ts'
import { failureOf, withHint } from './failure.ts'
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
  checkContainer(args)
  const operation = OPERATIONS[operationOf(args)]
  const work = operation(args, context)
  const answerSeconds = secondsIn(context.environment, 'DAVIT_ANSWER_TIMEOUT')
  const pool = openPool(context)
  try {
    const connection = await pool.connect(place.request)
    const complaints = complaintsFor(context)
    const status = await work({ client: { ...clientOf(context, { connection, answerSeconds }), ...complaints }, place })
    complaints.end(status)
    return status
  } catch (error) {
    // The connection is only lost because it was closed.
    signal.throwIfAborted()
    throw withHint(error, args)
  } finally {
    await pool.close()
  }
}

function clientOf(
  { signal, environment, print }: ToolContext<Arguments>,
  link: Pick<Client, 'connection' | 'answerSeconds'>,
): Omit<Client, 'complain'> {
  return { ...link, signal, environment, print }
}

/** Reports what the machine tells. Why the operation has failed is the last of its complaints, which is thrown at its end. */
function complaintsFor({ report }: Pick<ToolContext<unknown>, 'report'>) {
  let last: string | undefined
  const flush = () => {
    if (last !== undefined) report(say('machine-complains', { line: last }))
    last = undefined
  }
  return {
    complain(line: string) {
      flush()
      const told = line.replace(/^davit: /, '')
      if (told === line) report(say('machine-says', { line }))
      else last = told
    },
    end(status: number) {
      if (status !== 0 && last !== undefined) throw failureOf(last, status)
      flush()
    },
  }
}
