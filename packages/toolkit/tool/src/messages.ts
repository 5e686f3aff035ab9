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
  /**
   * The file of `--origin` cannot be written, so the generation will not tell what it was made from in full. The run continues.
   */
  'origin-not-written': warning(
    { file: 'text', reason: 'text' },
    ({ file, reason }) => `cannot add to '${file}' what the generation is made from: ${reason}`,
    'the run continues; free some space, or name another file',
  ),
  /** A line of the file of `--origin` was cut off or changed; the generation keeps what the other lines say. */
  'origin-damaged': warning(
    { file: 'text' },
    ({ file }) => `'${file}' contains a line that does not say what a generation is made from; it is left out`,
    'let each deployment begin with a new file',
  ),
  /** The file that `DAVIT_TRACE` names cannot be written, or is something else; the run continues without a trace. */
  'trace-not-written': warning(
    { reason: 'text' },
    ({ reason }) => reason,
    'the run continues without a trace; set DAVIT_TRACE to a new file',
  ),
})
