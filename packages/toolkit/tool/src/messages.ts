import { messages, warning } from '@davit/diagnostics'

export const say = messages({
  /**
   * A signal arrived: nothing new is started, and running activities are finished or undone. A second signal stops
   * immediately.
   */
  stopping: warning({ announcement: 'text' }, ({ announcement }) => announcement),
  /**
   * A second signal ended the tool immediately; activities that had begun continue on their targets. Run the same
   * command again.
   */
  stopped: warning(
    { hint: 'hint?' },
    () => 'stopped: what had begun was neither finished nor undone',
    'the same command continues from there',
  ),
  /**
   * The journal cannot be written; the run continues without it. Free some space in the state directory, or check its
   * permissions.
   */
  'journal-not-written': warning({ reason: 'text' }, ({ reason }) => reason, 'the run continues without the journal'),
  /** The file that `DAVIT_TRACE` names cannot be written, or is something else; the run continues without a trace. */
  'trace-not-written': warning(
    { reason: 'text' },
    ({ reason }) => reason,
    'the run continues without a trace; set DAVIT_TRACE to a new file',
  ),
})
