import { targetLabelOf } from '@davit/transition'
import type { TransitionOutcome } from '@davit/transition-runner'

import type { Fate, FateOfTarget } from './go-back.ts'

type Unsuccessful = Exclude<TransitionOutcome, { kind: 'completed' }>

/**
 * Outcome of a deployment that failed, once its targets have gone back as far as they could be asked: nothing remains to be done on those
 * that have, and of those that still go back it is not known. If all have, everything is as it was, whatever the run itself could undo.
 */
export function undone(outcome: Unsuccessful, fates: readonly FateOfTarget[]): Unsuccessful {
  const { failures, interrupted } = outcome
  const have = (kind: Fate['kind']) => fates.filter(({ fate }) => fate.kind === kind).map(({ target }) => target)
  if (outcome.kind === 'rolled-back') {
    const lost = { failures, interrupted, rollbackFailures: [], remaining: [], unknown: [] }
    return have('not-all').length === 0 ? outcome : { kind: 'old-services-lost', ...lost }
  }
  const back = new Set(have('back'))
  if (back.size === fates.length && outcome.kind !== 'lock-lost') return { kind: 'rolled-back', failures, interrupted }
  const underWay = new Set([...have('unknown'), ...have('going-back')])
  const before = new Set(outcome.unknown)
  const remaining = outcome.remaining.filter((activity) => !back.has(targetLabelOf(activity)))
  const unknown = remaining.filter((activity) => before.has(activity) || underWay.has(targetLabelOf(activity)))
  return { ...outcome, remaining, unknown }
}
