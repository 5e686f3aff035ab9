import { messages, note, warning } from '@davit/diagnostics'

export const say = messages({
  /** A module did not report in time whether its service runs. davit assumes that it does. */
  'status-unknown': warning(
    { target: 'prefix', service: 'text', seconds: 'number' },
    ({ service, seconds }) => `the module of '${service}' did not report within ${seconds} seconds whether it runs`,
  ),
  /** The module of a service cannot be asked whether it runs, as a secret that it needs cannot be resolved. davit assumes that it does. */
  'status-without-secret': warning(
    { target: 'prefix', reason: 'text' },
    ({ reason }) => `cannot ask for the status of a service: ${reason}`,
  ),
  /** A secret cannot be resolved, and so not be compared with the value that the running service was activated with. */
  'secret-not-compared': warning(
    { target: 'prefix', reason: 'text' },
    ({ reason }) => `cannot tell whether a secret has changed: ${reason}`,
  ),
  /** An activity of an earlier, interrupted run is still running. davit waits for its end. */
  'waiting-for-earlier': note(
    { target: 'prefix', step: 'text', service: 'text', container: 'text' },
    ({ step, service, container }) => `waiting for an activity of an earlier run: ${step} ${service} in ${container}`,
  ),
  /** An earlier deployment of this target is not confirmed. Once it goes back, the plan is another one. */
  'trial-not-over': warning(
    { target: 'prefix' },
    () => 'an earlier deployment of this target is not confirmed, and the target may go back to what it ran before',
  ),
  /**
   * A record is damaged, and the manifests do not tell how to stop its service either. Stop it by hand, then run
   * `davit-env --abandon`.
   */
  'record-unusable': warning(
    { target: 'text', container: 'text', key: 'text', record: 'text', problem: 'text' },
    ({ target, container, key, record, problem }) =>
      `skipping '${key}' in '${container}' on target '${target}': cannot tell how to stop it, since its record '${record}' is damaged: ${problem}; stop it by hand, then run 'davit-env --abandon ${key}'`,
  ),
  /**
   * A target is used through a client executable from this coordinator for the first time. Its protocol does not tell what is written here;
   * see docs/client-interfaces.md.
   */
  'client-limits': note(
    { target: 'prefix', executable: 'text' },
    ({ executable }) =>
      `'${executable}' does not tell whether services run, when the machine was restarted, nor later what others deploy there: records are kept on this machine alone`,
  ),
  /**
   * The client executable of a target reports services that davit has not activated from here. davit takes them for active, and makes their
   * records when it begins to change the deployment.
   */
  'taken-over': warning(
    { target: 'prefix', services: 'texts' },
    ({ services }) =>
      `${services.join(', ')} ${services.length === 1 ? 'was' : 'were'} deployed from elsewhere, and will be taken over without being started`,
  ),
  /** A file that davit did not write is among the records on a target. Remove it. */
  'not-a-record': warning(
    { file: 'text' },
    ({ file }) => `skipping '${file}': it is among the records, but davit did not write it; remove it`,
  ),
})
