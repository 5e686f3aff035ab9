import { messages, note } from '@davit/diagnostics'

export const say = messages({
  /** davit-unlock releases the lock of this owner. */
  'lock-freed': note({ target: 'prefix', owner: 'text' }, ({ owner }) => `releasing the lock of ${owner}`),
})
