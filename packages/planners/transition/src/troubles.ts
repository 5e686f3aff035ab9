import { isSettled } from '@davit/target-runtime'
import type { ObservedMapping } from './observed-mapping.ts'
import type { Reason } from './reason.ts'

/** What to do with services whose settings differ between next and their records, under the same key. */
export type ChangedSettings = 'keep' | 'restart'

/** Returns why an observed mapping must be deactivated even if it is wanted; empty when it can stay. */
export function troublesOf(observed: ObservedMapping | undefined, changed: ChangedSettings): readonly Reason[] {
  if (observed === undefined) return []
  const { state, doubt, hasFailed, changes = [] } = observed
  if (doubt === 'damaged') return [{ kind: doubt }]
  if (!isSettled(state)) return [{ kind: hasFailed === true ? 'failed' : 'cut-off', was: state }]
  return [...(doubt === undefined ? [] : [{ kind: doubt }]), ...(changed === 'restart' ? changes : [])]
}
