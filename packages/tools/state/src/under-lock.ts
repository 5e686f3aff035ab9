import { withLock } from '@davit/deployment-lock'
import type { StateScene } from '@davit/state-runner'
import type { ReachedDeployment } from '@davit/tool'

import { type ErrandContext, type MoveOrder, runErrand } from './move-order.ts'

/** Work on the targets that were reached, which is either shown or carried out. */
export interface LockedWork {
  readonly scene: StateScene
  show(scene: StateScene): Promise<void>
  /** Is given a scene that has the token of the lock, and whose signal aborts as well when the lock is lost. */
  carryOut(scene: StateScene): Promise<void>
}

interface LockedErrand {
  readonly order: MoveOrder
  /** Whether there is nothing to do, which is said. */
  readonly isEmpty: boolean
}

/** Works under the lock on the targets of a manifest; with `--dry-run`, only shows the work, without the lock. */
export async function runUnderLock(
  context: ErrandContext,
  errand: LockedErrand,
  workOn: (reached: ReachedDeployment) => LockedWork,
): Promise<void> {
  await runErrand(context, { ...errand, purpose: 'change' }, async (reached) => {
    const { scene, show, carryOut } = workOn(reached)
    if (context.args.dryRun) return show(scene)
    return withLock(reached.targets, reached.lockUse, ({ token, lost }) =>
      carryOut({ ...scene, token, signal: AbortSignal.any([scene.signal, lost]) }),
    )
  })
}
