import { type EndTerms, endDeployment, isGone, type LockTerms, withLease } from '@davit/deployment-lock'
import type { ShellTarget } from '@davit/target'
import type { ToolContext } from '@davit/tool'

import { say } from './messages.ts'

interface Arguments {
  readonly command: readonly string[]
}

interface RunTerms extends LockTerms, EndTerms {}

/** Holds the lock while the command runs, and returns its status. If the lock is lost, the command is ended. */
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

  /** Tries again to release the locks, some of which the first attempt may have released; then throws the first error. */
  async function endAgain(error: unknown): Promise<void> {
    await endDeployment(targets, terms).catch(() => {})
    throw error
  }

  /** Ends the deployment after a failure, which is what counts: errors are only reported. */
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
