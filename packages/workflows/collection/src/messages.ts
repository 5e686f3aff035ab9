import { messages, note, warning } from '@davit/diagnostics'

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
  /** A client executable can collect garbage, but has no operation that tells what it would remove. Nothing was done there. */
  'client-garbage-unknown': note(
    { where: 'text' },
    ({ where }) => `${where}: its client executable cannot tell what would be removed`,
  ),
  /** A client executable has no operation that deletes old profiles of Nix, so what these need was kept there. Delete them there with Nix. */
  'client-profiles-kept': warning(
    { where: 'text', profile: 'text' },
    ({ where, profile }) =>
      `${where}: old profiles of '${profile}' are kept there, as its client executable cannot delete them; use nix-env --delete-generations there`,
  ),
  /** Nix collected garbage; the message contains what it printed. */
  'nix-garbage-collected': note(
    { where: 'text', output: 'text', dryRun: 'truth' },
    ({ where, output, dryRun }) =>
      `${where}: nix-collect-garbage${dryRun ? ' --dry-run' : ''}${output === '' ? '' : `: ${output}`}`,
  ),
})
