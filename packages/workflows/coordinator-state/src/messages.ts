import { type Message, messages, note, warning } from '@davit/diagnostics'

export const say = messages({
  /** Generations were deleted from the coordinator. davit-collect-garbage removes their packages. */
  'generations-deleted': note(
    { generations: 'numbers' },
    ({ generations }) => `deleted ${generationsText(generations)} on the coordinator`,
  ),
  /**
   * A deleted generation still protects its packages from garbage collection. Remove that root from the store by hand.
   */
  'packages-kept': warning(
    { generation: 'number', root: 'text', reason: 'text' },
    ({ generation, root, reason }) =>
      `cannot release the packages of generation ${generation}, which root '${root}' keeps in their store: ${reason}`,
    'remove that link from the directory of roots in the store (.davit/roots, or gcroots/davit with Nix)',
  ),
})

/** Message of tools that delete generations on the coordinator. */
export function generationsDeleted(generations: readonly number[]): Message {
  return say('generations-deleted', { generations })
}

/** `generations 1, 2` */
export function generationsText(numbers: readonly number[]): string {
  return `generation${numbers.length === 1 ? '' : 's'} ${numbers.join(', ')}`
}
