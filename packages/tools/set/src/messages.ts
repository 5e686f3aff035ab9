import { messages, note, detail, warning } from '@davit/diagnostics'

export const say = messages({
  'profile-set': note(
    { target: 'prefix', generation: 'number' },
    ({ generation }) => `generation ${generation} of the profile`,
  ),
  'profile-unchanged': detail({ target: 'prefix' }, () => 'the profile is unchanged'),
  'generation-added': note(
    { generation: 'generation' },
    ({ generation }) => `generation ${generation} on the coordinator`,
  ),
  'generation-switched': note(
    { generation: 'generation' },
    ({ generation }) => `generation ${generation} is current on the coordinator again`,
  ),
  'generation-unchanged': note({ generation: 'generation' }, () => 'the coordinator has this generation already'),
  /** The coordinator never claims what a target does not have: a generation must be true of all of its targets. */
  'generation-not-recorded': warning(
    { targets: 'texts' },
    ({ targets }) =>
      `no generation recorded: ${targets.map((name) => `'${name}'`).join(', ')} could not be reached and ${targets.length === 1 ? 'does' : 'do'} not have this profile`,
    'deploy again when they can be reached',
  ),
})
