import { deploymentPlace } from '@davit/coordinator-state'
import { type LockTerms, releaseLocks, removeLockRecord, unlockServices, withLease } from '@davit/deployment-lock'
import type { ShellTarget } from '@davit/target'
import { stateDirectory, type ToolContext } from '@davit/tool'

interface Arguments {
  readonly command: readonly string[]
  readonly stateDirectory?: string
}

/** Holds the lock while the command runs; its status is ours. A lock that is lost meanwhile ends the command. */
export async function runLocked(
  targets: readonly ShellTarget[],
  terms: LockTerms,
  context: ToolContext<Arguments>,
): Promise<number> {
  const [program = '', ...rest] = context.args.command
  try {
    return await withLease(targets, { ...terms, signal: context.signal }, (signal) =>
      context.runInForeground({ argv: [program, ...rest], environment: context.environment, signal }),
    )
  } finally {
    await unlockServices(targets, terms)
    await releaseLocks(targets, terms)
    await removeLockRecord(deploymentPlace(stateDirectory(context), terms.profile))
  }
}
