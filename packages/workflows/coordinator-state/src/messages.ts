import { type Message, messages, note, warning } from '@davit/diagnostics'

export const say = messages({
  'generations-deleted': note(
    { generations: 'numbers' },
    ({ generations }) => `deleted ${generationsText(generations)} of the coordinator`,
  ),
  'packages-kept': warning(
    { generation: 'number', root: 'text', reason: 'text' },
    ({ generation, root, reason }) =>
      `the packages of generation ${generation} are kept in their store as '${root}': ${reason}`,
    'remove that among the roots of the store',
  ),
})

/** For who deletes generations on the coordinator. */
export function generationsDeleted(generations: readonly number[]): Message {
  return say('generations-deleted', { generations })
}

/** `generations 1, 2` */
export function generationsText(numbers: readonly number[]): string {
  return `generation${numbers.length === 1 ? '' : 's'} ${numbers.join(', ')}`
}
