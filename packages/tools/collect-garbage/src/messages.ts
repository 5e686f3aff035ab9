import { messages, note } from '@davit/diagnostics'

import { collectedText, removedRemnantsText } from './render-garbage.ts'

export const say = messages({
  'profile-generations-deleted': note(
    { target: 'prefix', count: 'number' },
    ({ count }) => `deleted ${count} generations of the profile`,
  ),
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
  'remnants-removed': note(
    { where: 'text', logs: 'number', records: 'number', bytes: 'number', dryRun: 'truth' },
    (removed) => `${removed.where}: ${removedRemnantsText(removed)}`,
  ),
  'nix-garbage-collected': note(
    { where: 'text', output: 'text', dryRun: 'truth' },
    ({ where, output, dryRun }) =>
      `${where}: nix-collect-garbage${dryRun ? ' --dry-run' : ''}${output === '' ? '' : `: ${output}`}`,
  ),
})
