import { messages, note } from '@davit/diagnostics'

export const say = messages({
  /** The transition failed or was interrupted, and is being undone. */
  'rolling-back': note({}, () => 'rolling back'),
})
