import { messages, note, warning } from '@davit/diagnostics'

export const say = messages({
  'no-journal': note(
    { profile: 'text', reason: 'text?' },
    ({ profile, reason }) => `there is no journal of '${profile}'${reason === undefined ? '' : `: ${reason}`}`,
  ),
  'journal-damaged': warning(
    { file: 'text', line: 'number' },
    ({ file, line }) => `skipping line ${line} of '${file}', which is damaged`,
  ),
})
