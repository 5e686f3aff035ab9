import { messages, note } from '@davit/diagnostics'

export const say = messages({
  'nothing-to-build': note({}, () => 'nothing to build: all packages are here'),
})
