import { messages, note } from '@davit/diagnostics'

export const say = messages({
  /** All packages are in the store already. */
  'nothing-to-build': note({}, () => 'nothing to build: all packages are here'),
})
