import { messages, note, warning } from '@davit/diagnostics'

export const say = messages({
  /** It cannot be found out whether the service is on a target, so nothing was done there. */
  'not-diagnosed': warning(
    { target: 'prefix', reason: 'text' },
    ({ reason }) => `nothing can be done there: ${reason}`,
  ),
  /** A command has printed something on its standard error. */
  'command-says': note(
    { target: 'prefix', container: 'text', line: 'text' },
    ({ container, line }) => `${container}: ${line}`,
  ),
  /** A command has ended with another status than 0. */
  'command-failed': warning(
    { target: 'prefix', container: 'text', status: 'number' },
    ({ container, status }) => `in ${container}, the command ended with status ${status}`,
  ),
  /** No shell has begun with a script on a target, and it could not be removed. It contains the environment of the service. */
  'script-left': warning(
    { target: 'prefix', script: 'text' },
    ({ script }) => `remove '${script}', which contains the environment of the service, unless the shell has begun`,
  ),
})
