import { messages, note } from '@davit/diagnostics'

import { collectedText, removedRemnantsText } from './render-garbage.ts'

export const say = messages({
  /** Old generations of the profile of a target were deleted there. */
  'profile-generations-deleted': note(
    { target: 'prefix', count: 'number' },
    ({ count }) => `deleted ${count} ${count === 1 ? 'generation' : 'generations'} of the profile`,
  ),
  /** Garbage that was removed from a store, or would be, and what is kept for a while longer. */
  'garbage-collected': note(
    {
      where: 'text',
      packages: 'number',
      unfinished: 'number',
      bytes: 'number',
      kept: 'number',
      keptBytes: 'number',
      keptFrom: 'text?',
      keptUntil: 'text?',
      leftovers: 'text',
      dryRun: 'truth',
    },
    (garbage) => `${garbage.where}: ${collectedText(garbage)}`,
  ),
  /** Logs and abandoned records of services that are gone were removed, or would be. */
  'remnants-removed': note(
    { where: 'text', logs: 'number', records: 'number', bytes: 'number', dryRun: 'truth' },
    (removed) => `${removed.where}: ${removedRemnantsText(removed)}`,
  ),
  /** Nix collected garbage; the message contains what it printed. */
  'nix-garbage-collected': note(
    { where: 'text', output: 'text', dryRun: 'truth' },
    ({ where, output, dryRun }) =>
      `${where}: nix-collect-garbage${dryRun ? ' --dry-run' : ''}${output === '' ? '' : `: ${output}`}`,
  ),
})
