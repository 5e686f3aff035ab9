import { messages, note, warning } from '@davit/diagnostics'

export const say = messages({
  /** The coordinator has no journal of this deployment. Check its name. */
  'no-journal': note(
    { profile: 'text', reason: 'text?' },
    ({ profile, reason }) => `there is no journal of '${profile}'${reason === undefined ? '' : `: ${reason}`}`,
  ),
  /** A line of the journal was cut off, by a crash or a full disk. It is skipped; nothing depends on it. */
  'journal-damaged': warning(
    { file: 'text', line: 'number' },
    ({ file, line }) => `skipping line ${line} of '${file}', which is damaged`,
  ),
})
