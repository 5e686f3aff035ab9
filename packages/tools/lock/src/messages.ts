import { messages, warning } from '@davit/diagnostics'

export const say = messages({
  /** It is not known who holds the lock on this target, because the target cannot be asked. */
  'lock-unknown': warning(
    { target: 'prefix', reason: 'text' },
    ({ reason }) => `cannot tell who holds the lock: ${reason}`,
  ),
  /** The lock was gone before it was released. Somebody else may have deployed since: look at davit-journal. */
  'lock-lost-meanwhile': warning({}, () => 'the lock was lost before it was released'),
  /**
   * The lock could not be released after an earlier failure. It expires with its lease; davit-unlock releases it
   * earlier.
   */
  'unlock-failed': warning({ reason: 'text' }, ({ reason }) => reason),
})
