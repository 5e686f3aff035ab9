import { messages, note } from '@davit/diagnostics'

export const say = messages({
  /**
   * Something was written into a package on that target, and it is replaced by the one of this machine. What was there is kept in
   * `.davit/set-aside` of the store, and the processes that run from there go on.
   */
  'package-replaced': note(
    { target: 'prefix', storePath: 'text', what: 'text' },
    ({ storePath, what }) => `replaces '${storePath}', which is not what it was when it was made: ${what}`,
  ),
})
