import { type Message, messages, note, warning } from '@davit/diagnostics'

import type { AddedGeneration } from './generations.ts'

export const say = messages({
  /** Generations were deleted from the coordinator. davit-collect-garbage removes their packages. */
  'generations-deleted': note(
    { generations: 'numbers' },
    ({ generations }) => `deleted ${generationsText(generations)} on the coordinator`,
  ),
  /** The coordinator has a new generation, with the deployment that was found on the targets. */
  'generation-recovered': note(
    { generation: 'generation' },
    ({ generation }) => `generation ${generation} on the coordinator, as the targets have it`,
  ),
  /** The current generation of the coordinator says the same as the targets, so none was added. */
  'generation-confirmed': note(
    { generation: 'generation' },
    ({ generation }) => `generation ${generation} of the coordinator is what the targets have`,
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

/** Message of tools that have recorded what is on the targets, or have found it recorded. */
export function generationAsFound({ kind, number: generation }: AddedGeneration): Message {
  return say(kind === 'added' ? 'generation-recovered' : 'generation-confirmed', { generation })
}

/** `generations 1, 2` */
export function generationsText(numbers: readonly number[]): string {
  return `generation${numbers.length === 1 ? '' : 's'} ${numbers.join(', ')}`
}
