import type { MachineCondition } from '@davit/target'

import { type Check, fine, found } from '../check.ts'

/** Looks for what could go on with a trial after a restart. */
export function restartChecks({ starter }: MachineCondition): readonly Check[] {
  if (starter !== 'none') return [fine('restart', `${starter} would go on with unconfirmed changes after a restart`)]
  const finding = {
    text: 'nothing starts programs of this account after a restart',
    means:
      'if the machine restarts while changes are not confirmed (--confirm), it undoes them only when a run asks for it',
    remedy: 'start cron there, if you use --confirm',
  }
  return [found('restart', 'note', finding)]
}
