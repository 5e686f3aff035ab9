import { messages, note } from '@davit/diagnostics'

export const say = messages({
  /** davit-unlock removes the lock of this owner. */
  'lock-freed': note({ target: 'prefix', owner: 'text' }, ({ owner }) => `freeing the lock of ${owner}`),
})
