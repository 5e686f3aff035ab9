import { messages, note } from '@davit/diagnostics'

export const say = messages({
  /** The two manifests say the same, even if their files are not equal. */
  'equal-manifests': note({ from: 'text', to: 'text' }, ({ from, to }) => `${from} and ${to} do not differ`),
})
