import { messages, note, warning } from '@davit/diagnostics'

export const say = messages({
  'status-unknown': warning(
    { target: 'prefix', service: 'text', seconds: 'number' },
    ({ service, seconds }) => `the module of '${service}' did not say within ${seconds} seconds whether it runs`,
  ),
  'waiting-for-earlier': note(
    { target: 'prefix', step: 'text', service: 'text', container: 'text' },
    ({ step, service, container }) => `waiting for what an earlier run has begun: ${step} ${service} in ${container}`,
  ),
  'record-unusable': warning(
    { target: 'text', container: 'text', key: 'text', record: 'text', problem: 'text' },
    ({ target, container, key, record, problem }) =>
      `Skip '${key}' in '${container}' on target '${target}': nothing says how to stop it; its record '${record}' is damaged: ${problem}; stop it by hand; then 'davit-env --abandon ${key}' gives it up`,
  ),
  'not-a-record': warning(
    { file: 'text' },
    ({ file }) => `Skip '${file}': it lies among the records, and davit has not written it: remove it`,
  ),
})
