import { messages, warning } from '@davit/diagnostics'

export const say = messages({
  stopping: warning({ announcement: 'text' }, ({ announcement }) => announcement),
  stopped: warning(
    { hint: 'hint?' },
    () => 'stopped: what was begun is left to itself',
    'the same command goes on from there',
  ),
  'journal-not-written': warning({ reason: 'text' }, ({ reason }) => reason, 'what is done goes on without it'),
})
