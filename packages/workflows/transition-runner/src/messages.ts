import { messages, note } from '@davit/diagnostics'

export const say = messages({
  'rolling-back': note({}, () => 'rolling back'),
})
