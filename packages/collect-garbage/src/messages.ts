import { messages, note } from '@davit/diagnostics'

import { collectedText, removedLogsText } from './render-garbage.ts'

export const say = messages({
  'profile-generations-deleted': note(
    { target: 'prefix', count: 'number' },
    ({ count }) => `deleted ${count} generations of the profile`,
  ),
  'garbage-collected': note(
    {
      place: 'text',
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
    (garbage) => `${garbage.place}: ${collectedText(garbage)}`,
  ),
  'logs-removed': note(
    { place: 'text', logs: 'number', records: 'number', bytes: 'number', dryRun: 'truth' },
    (removed) => `${removed.place}: ${removedLogsText(removed)}`,
  ),
  'nix-garbage-collected': note(
    { place: 'text', output: 'text', dryRun: 'truth' },
    ({ place, output, dryRun }) =>
      `${place}: nix-collect-garbage${dryRun ? ' --dry-run' : ''}${output === '' ? '' : `: ${output}`}`,
  ),
})
