import { messages, warning } from '@davit/diagnostics'

export const say = messages({
  stopping: warning({ announcement: 'text' }, ({ announcement }) => announcement),
  stopped: warning(
    { hint: 'hint?' },
    () => 'stopped: whatever was begun is left to itself',
    'the same command continues from there',
  ),
  'journal-not-written': warning({ reason: 'text' }, ({ reason }) => reason, 'the work goes on without the journal'),
})
