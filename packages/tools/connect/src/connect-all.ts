import { connectionPool } from '@davit/connection'
import { DavitError } from '@davit/diagnostics'
import type { Infrastructure, TargetName } from '@davit/documents'
import { requestFor } from '@davit/target'
import type { ToolContext } from '@davit/tool'

import { say } from './messages.ts'

export interface Connecting {
  stop(): Promise<void>
}

/**
 * Begins to connect to all targets of an infrastructure, so that tools find the connections. Failures are only details: the
 * tools that need a target report them.
 */
export function connectAll(
  infrastructure: Infrastructure = new Map(),
  { environment, report }: Pick<ToolContext<unknown>, 'environment' | 'report'>,
): Connecting {
  const pool = connectionPool({ environment, report })
  let isOver = false
  const connect = async (name: TargetName): Promise<void> => {
    try {
      await pool.connect(requestFor(infrastructure, name))
    } catch (error) {
      if (!(error instanceof DavitError)) throw error
      if (!isOver) report(say('not-connected', { reason: error.message }))
    }
  }
  const done = Promise.all([...infrastructure.keys()].map(connect))
  // What is connected stays with the holder.
  void done.then(() => pool.close())
  return {
    async stop() {
      isOver = true
      await pool.close()
      await done
    },
  }
}
