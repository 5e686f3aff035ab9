import { endDeployment, isGone, type LockTerms, withLease } from '@davit/deployment-lock'
import type { ShellTarget } from '@davit/target'
import type { ToolContext } from '@davit/tool'

import { say } from './messages.ts'

interface Arguments {
  readonly command: readonly string[]
}

interface RunTerms extends LockTerms {
  /** Of the record of the lock. */
  readonly place: string
  /** How long each service may take to answer. */
  readonly timeoutSeconds: number | undefined
}

/** Holds the lock while the command runs; its status is ours. A lock that is lost meanwhile ends the command. */
export async function runLocked(
  targets: readonly ShellTarget[],
  terms: RunTerms,
  context: ToolContext<Arguments>,
): Promise<number> {
  const status = await withLease(targets, terms, (lost) => runCommand(context, lost)).catch(async (error: unknown) => {
    await endQuietly()
    throw error
  })
  if (status !== 0) await endQuietly()
  else await endDeployment(targets, terms).catch(endAgain)
  return status

  /** What could not be given back may be now; what is gone was given back just before. */
  async function endAgain(error: unknown): Promise<void> {
    await endDeployment(targets, terms).catch(() => {})
    throw error
  }

  /** What failed before is what counts. */
  async function endQuietly(): Promise<void> {
    await endDeployment(targets, terms).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error)
      context.report(isGone(error) ? say('lock-lost-meanwhile') : say('unlock-failed', { reason }))
    })
  }
}

async function runCommand({ args, environment, runInForeground }: ToolContext<Arguments>, lost: AbortSignal) {
  const [program = '', ...rest] = args.command
  const status = await runInForeground({ argv: [program, ...rest], environment, signal: lost })
  lost.throwIfAborted()
  return status
}
