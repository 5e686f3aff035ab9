import { type ConnectionRequest, onlyHop, sshArguments } from '@davit/connection'
import { type DiagnosedMapping, openDiagnosis } from '@davit/diagnosis'
import type { Infrastructure } from '@davit/documents'
import { requestFor } from '@davit/target'
import { deploymentOf, type ToolContext } from '@davit/tool'

import type { Arguments } from './arguments.ts'
import { say } from './messages.ts'

/** Opens a shell, with the terminal of the user; resolves with its status. */
export async function interact(
  diagnosed: DiagnosedMapping,
  infrastructure: Infrastructure,
  context: ToolContext<Arguments>,
): Promise<number> {
  const { report } = context
  const { target } = diagnosed.source
  const { profile } = deploymentOf(context)
  const complain = (line: string) =>
    report(say('command-says', { target, container: diagnosed.source.container, line }))
  const prepared = await openDiagnosis(diagnosed, { ...context, profile, complain })
  try {
    return await context.runInForeground({
      argv: commandFor(prepared.script, requestFor(infrastructure, target), context),
    })
  } finally {
    // The connection may have been lost meanwhile; a shell that has begun has removed it by itself.
    await prepared.remove().catch(() => report(say('script-left', { target, script: prepared.script })))
  }
}

/** Words that run a script of a target with a terminal, if there is one here. */
function commandFor(
  script: string,
  request: ConnectionRequest,
  { environment }: ToolContext<Arguments>,
): readonly [string, ...string[]] {
  const hop = onlyHop(request)
  if (hop.kind !== 'ssh') return ['/bin/sh', script]
  const reach = sshArguments(hop.address, { environment, role: 'target' })
  return ['ssh', '-t', '-o', 'LogLevel=ERROR', ...reach, `exec /bin/sh ${script}`]
}
