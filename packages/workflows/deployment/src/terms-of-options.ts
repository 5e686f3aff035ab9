import type { PlanDocumentTerms } from '@davit/documents'

import type { PlanTerms } from './plan-for.ts'

/** Options of tools that plan, as `planOptions` describes them. */
export interface PlanArguments {
  readonly upgrade: boolean
  readonly repair: boolean
  readonly restartChanged: boolean
  readonly migration: boolean
  readonly restore: boolean
  readonly besideOriginal: boolean
}

/** What options say about a plan; `directory` is the state directory of the coordinator. */
export function termsOfOptions(
  { upgrade, repair, restartChanged, migration, restore, besideOriginal }: PlanArguments,
  directory: string,
): Pick<PlanTerms, 'upgrade' | 'changed' | 'besideOriginal' | 'state'> {
  return {
    upgrade: repair ? 'repair' : upgrade ? 'upgrade' : 'activate-only',
    changed: restartChanged ? 'restart' : 'keep',
    besideOriginal,
    state: { migration: !migration ? 'none' : restore ? 'move-and-restore' : 'move', directory },
  }
}

/** Options with which a plan is made on the same terms. */
export function optionsOfTerms(
  terms: PlanDocumentTerms,
): PlanArguments & Pick<PlanDocumentTerms, 'takeOver' | 'undeploy'> {
  const { upgrade, changed, migration, ...asked } = terms
  return {
    ...asked,
    upgrade: upgrade !== 'activate-only',
    repair: upgrade === 'repair',
    restartChanged: changed === 'restart',
    migration: migration !== 'none',
    restore: migration === 'move-and-restore',
  }
}
