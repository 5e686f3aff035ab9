import { nearestOf } from '@davit/service-graph'

import { type AnyActivity, type Transition } from './activity.ts'

/**
 * Plans how to undo the activities of a transition that were begun, whether they succeeded or not: last phase first, so that no
 * service starts again before everything new is gone.
 */
export function planRollback<One extends AnyActivity>(
  { phases }: Pick<Transition<One>, 'phases'>,
  begun: ReadonlySet<string>,
): Transition<One> {
  return { phases: phases.toReversed().map((phase) => undoing(phase, begun)), skipped: [], outdated: [] }
}

/** Reverses the order: dependencies wait for their dependants, also by way of activities that are not undone. */
function undoing<One extends AnyActivity>(phase: readonly One[], begun: ReadonlySet<string>): readonly One[] {
  const undone = phase.filter(({ id, undo }) => begun.has(id) && undo !== undefined)
  const undoOf = new Map(undone.map(({ id, undo }) => [id, undo]))
  const awaited = new Map(phase.map(({ id, waitsFor }) => [id, waitsFor]))
  const awaitedBy = (id: string) => awaited.get(id) ?? []
  const waitsFor = new Map<string, string[]>(undone.map(({ id }) => [id, []]))
  for (const { id, undo } of undone) {
    const dependencies = nearestOf(awaitedBy(id), awaitedBy, (other) => undoOf.has(other))
    if (undo !== undefined) for (const dependency of dependencies) waitsFor.get(dependency)?.push(undo.id)
  }
  return undone.toReversed().map(({ id }) => {
    const plan = { waitsFor: waitsFor.get(id) ?? [], reasons: [{ kind: 'rollback' }], undo: undefined }
    return { ...undoOf.get(id), ...plan } as unknown as One
  })
}
