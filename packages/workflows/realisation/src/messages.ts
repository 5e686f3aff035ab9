import { messages, warning } from '@davit/diagnostics'

export const say = messages({
  /** The module of a service will refuse or ignore a setting in the package of the service. Correct the file. */
  'component-doubtful': warning(
    { service: 'text', problem: 'text', file: 'text?', line: 'number?', hint: 'hint?' },
    ({ service, problem, file, line }) =>
      `service '${service}': ${file === undefined ? '' : `${file}:${line ?? ''} `}${problem}`,
  ),
})
