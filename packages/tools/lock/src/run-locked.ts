import { type EndTerms, endDeployment, isGone, type LockTerms, withLease } from '@davit/deployment-lock'
import type { Report } from '@davit/diagnostics'
import type { ShellTarget } from '@davit/target'

import { say } from './messages.ts'

interface RunTerms extends LockTerms, EndTerms {
  readonly report: Report
}

/** Holds the lock while the command runs, and returns its status. If the lock is lost, the command is ended. */
export async function runLocked(
  targets: readonly ShellTarget[],
  terms: RunTerms,
  command: (lost: AbortSignal) => Promise<number>,
): Promise<number> {
  const status = await withLease(targets, terms, runCommand).catch(async (error: unknown) => {
    await endQuietly()
    throw error
  })
  if (status !== 0) await endQuietly()
  else await endDeployment(targets, terms).catch(endAgain)
  return status

  async function runCommand(lost: AbortSignal): Promise<number> {
    const ended = await command(lost)
    lost.throwIfAborted()
    return ended
  }

  /** Tries again to release the locks, some of which the first attempt may have released; then throws the first error. */
  async function endAgain(error: unknown): Promise<void> {
    await endDeployment(targets, terms).catch(() => {})
    throw error
  }

  /** Ends the deployment after a failure, which is what counts: errors are only reported. */
  async function endQuietly(): Promise<void> {
    await endDeployment(targets, terms).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error)
      terms.report(isGone(error) ? say('lock-lost-meanwhile') : say('unlock-failed', { reason }))
    })
  }
}
