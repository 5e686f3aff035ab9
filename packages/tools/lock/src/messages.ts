import { messages, warning } from '@davit/diagnostics'

export const say = messages({
  /** The lock was gone before it was released. Somebody else may have deployed since: look at davit-journal. */
  'lock-lost-meanwhile': warning({}, () => 'the lock was lost before it was released'),
  /**
   * The lock could not be released after an earlier failure. It expires with its lease; davit-unlock releases it
   * earlier.
   */
  'unlock-failed': warning({ reason: 'text' }, ({ reason }) => reason),
})
