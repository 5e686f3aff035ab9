import { messages, note, warning } from '@davit/diagnostics'

export const say = messages({
  'lock-lost-meanwhile': warning({}, () => 'the lock was lost meanwhile'),
  'unlock-failed': warning({ reason: 'text' }, ({ reason }) => reason),
  'lock-freed': note({ target: 'prefix', owner: 'text' }, ({ owner }) => `freeing the lock of ${owner}`),
})
