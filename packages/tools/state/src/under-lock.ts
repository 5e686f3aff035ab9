import { withLock } from '@davit/deployment-lock'
import type { StateScene } from '@davit/state-runner'
import type { ReachedDeployment } from '@davit/tool'

/** Works under the lock, with a scene that has its token, and whose signal aborts as well when the lock is lost. */
export async function underLock<Result>(
  { targets, lockUse }: ReachedDeployment,
  scene: StateScene,
  use: (scene: StateScene) => Promise<Result>,
): Promise<Result> {
  return withLock(targets, lockUse, ({ token, lost }) =>
    use({ ...scene, token, signal: AbortSignal.any([scene.signal, lost]) }),
  )
}
