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
