import { messages, note, warning } from '@davit/diagnostics'

export const say = messages({
  /** A target was not read because of `--partial`; what it has is not in the result. */
  'target-not-read': warning({ target: 'prefix', reason: 'text' }, ({ reason }) => `left out: ${reason}`),
  /** The profile of a target cannot be read, so that only its records count. */
  'profile-unreadable': warning(
    { target: 'prefix', reason: 'text' },
    ({ reason }) => `only its records count: ${reason}`,
  ),
  /** A record is damaged. What the profile says of the service is taken instead, if it contains the service. */
  'record-unreadable': warning(
    { target: 'prefix', container: 'text', key: 'text', problem: 'text' },
    ({ container, key, problem }) =>
      `the record of ${key} in '${container}' cannot be read (${problem}): only the profile counts`,
  ),
  /** A record is damaged, and the profile does not have its service either, so that nothing describes it. */
  'record-left-out': warning(
    { target: 'prefix', container: 'text', key: 'text', problem: 'text' },
    ({ container, key, problem }) =>
      `left out: the record of ${key} in '${container}' cannot be read (${problem}), and the profile does not have it`,
  ),
  /** A run was cut off while it changed a service. The next deployment settles it. */
  'service-unsettled': warning(
    { target: 'prefix', service: 'text', state: 'text' },
    ({ service, state }) => `'${service}' was left ${state} by a run that was cut off, and does not count as active`,
    'deploy the result with davit-env, which finishes what was begun',
  ),
  /**
   * The run that is resumed concerned only some of the targets that have a profile of the deployment: it was to remove the others, or
   * a target lies. The plan shows what becomes of their services.
   */
  'run-without': warning(
    { targets: 'texts' },
    ({ targets }) =>
      `the run that was cut off concerned other targets than ${targets.map((name) => `'${name}'`).join(', ')}`,
    'see the plan with --dry-run before',
  ),
  /** The machine of a target has services of a target with another name, which is not in the infrastructure. */
  'other-target': warning(
    { target: 'prefix', other: 'text' },
    ({ other }) => `the machine also has services of a target '${other}', which is not in the infrastructure`,
    'add it to the infrastructure, with the same address',
  ),
  /** Somebody deploys, or a run was killed, so that what was read may be half of two deployments. */
  'deployment-locked': warning(
    { target: 'prefix' },
    () => 'the deployment is locked: what was read may be changing',
    'wait for the other run, or remove its lock with davit-unlock if it is dead, then run this again',
  ),
  /** Profiles and records contradict each other; `--prefer` says which of them counts. */
  'contradiction-settled': warning(
    { text: 'text', preference: 'text' },
    ({ text, preference }) => `${text}; the ${preference} ${preference === 'records' ? 'count' : 'counts'}`,
  ),
  /** An inter-dependency, or the provider of a container, was left out because of `--partial`, as nothing is known of it. */
  'reference-left-out': warning(
    { service: 'text', key: 'text', target: 'text' },
    ({ service, key, target }) => `'${service}' needs ${key} on '${target}', of which nothing is known: left out`,
  ),
  /** Targets on which nothing was ever deployed under this name. */
  'nothing-there': note({ targets: 'texts', profile: 'text' }, ({ targets, profile }) => {
    const names = targets.map((name) => `'${name}'`).join(', ')
    return `nothing was deployed as '${profile}' on ${names}`
  }),
})
