import { messages, note, detail, warning } from '@davit/diagnostics'

export const say = messages({
  /** A target has a new profile, as a new generation there. */
  'profile-set': note(
    { target: 'prefix', generation: 'number' },
    ({ generation }) => `generation ${generation} of the profile`,
  ),
  /** A target had this profile already. */
  'profile-unchanged': detail({ target: 'prefix' }, () => 'the profile is unchanged'),
  /** The coordinator has a new generation, which is the current one. */
  'generation-added': note(
    { generation: 'generation' },
    ({ generation }) => `generation ${generation} on the coordinator`,
  ),
  /** An earlier generation is the current one of the coordinator again. */
  'generation-switched': note(
    { generation: 'generation' },
    ({ generation }) => `generation ${generation} is current on the coordinator again`,
  ),
  /** The current generation of the coordinator has the same manifest, so none was added. */
  'generation-unchanged': note({ generation: 'generation' }, () => 'the coordinator has this generation already'),
  /**
   * No generation was recorded, because the skipped targets do not have its profiles. Deploy again when they can be
   * reached.
   */
  'generation-not-recorded': warning(
    { targets: 'texts' },
    ({ targets }) =>
      `no generation recorded: ${targets.map((name) => `'${name}'`).join(', ')} could not be reached and ${targets.length === 1 ? 'does' : 'do'} not have this profile`,
    'deploy again when they can be reached',
  ),
})
