import { messages, warning } from '@davit/diagnostics'

export const say = messages({
  'component-doubtful': warning(
    { service: 'text', problem: 'text', file: 'text?', line: 'number?', hint: 'hint?' },
    ({ service, problem, file, line }) =>
      `service '${service}': ${file === undefined ? '' : `${file}:${line ?? ''} `}${problem}`,
  ),
})
