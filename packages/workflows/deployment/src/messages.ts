import { messages, note, warning } from '@davit/diagnostics'

export const say = messages({
  /** The record of a service was put aside because of `--abandon`. davit will no longer stop the service. */
  'given-up': note(
    { target: 'prefix', key: 'text', container: 'text', what: 'text' },
    ({ what }) => `gave up ${what}: its module was not called, and davit will no longer stop it`,
  ),
  /** A service that was given up may still run; the command in the message finds its processes. */
  'given-up-may-run': note(
    { target: 'prefix', key: 'text' },
    ({ key }) =>
      `it may still run; on the target, \`grep -lz '^DAVIT_KEY=${key}$' /proc/[0-9]*/environ\` finds its processes`,
  ),
  /** The new places of the record and the logs of a service that was given up. */
  'given-up-record': note(
    { target: 'prefix', record: 'text', logs: 'text' },
    ({ record, logs }) =>
      `its record is now '${record}', its logs are still in '${logs}'; its package is no longer kept, and a deployment that contains it starts it again`,
  ),
  /** A service cannot be deactivated by the module that activated it, so the module of the manifest is tried. */
  'other-module-tried': note(
    { target: 'prefix', service: 'text' },
    ({ service }) =>
      `cannot deactivate '${service}' with the module that activated it; trying the module of the manifest`,
  ),
  /**
   * The running services were deployed by another coordinator, and now belong to this one because of `--take-over`.
   */
  'taking-over': warning({ profile: 'text', targets: 'texts', counts: 'numbers' }, ({ profile, targets, counts }) => {
    const places = targets.map((target, index) => `${counts[index]} on '${target}'`).join(', ')
    return `taking over '${profile}', which was not deployed from this coordinator, with its services: ${places}`
  }),
  /** The manifest shares nothing with what this coordinator has deployed under the name, and replaces it because of `--take-over`. */
  'replacing-own': warning({ profile: 'text', targets: 'texts', counts: 'numbers' }, ({ profile, targets, counts }) => {
    const places = targets.map((target, index) => `${counts[index]} on '${target}'`).join(', ')
    return `replacing all of '${profile}', with which the manifest shares nothing: ${places}`
  }),
  /** Disnix has perhaps started this service already, in a deployment that was not adopted; `--beside-original` starts it all the same. */
  'beside-original': warning(
    { service: 'text', target: 'prefix', container: 'text', profile: 'text' },
    ({ service, container, profile }) =>
      `'${service}' in container '${container}' is also in the deployment '${profile}' of Disnix, which was not adopted`,
  ),
  /**
   * What davit starts on the target ends with its session, and nobody but the module of the service knows what that starts. On the target,
   * `loginctl enable-linger ACCOUNT` lets davit start it outside of the session.
   */
  'may-end-at-logout': warning(
    { service: 'text', target: 'prefix', reason: 'text' },
    ({ service, reason }) => `'${service}' may end as soon as davit has gone: ${reason}`,
  ),
  /** Nothing runs under this name, but other deployments have services on these targets. Check the name. */
  'others-here': note(
    { profiles: 'texts' },
    ({ profiles }) =>
      `nothing runs under this name; the targets have services of ${profiles.map((name) => `'${name}'`).join(', ')}`,
  ),
  /** Services of the manifest are not deployed, and a repair deploys nothing new. Deploy without `--repair`. */
  'repair-leaves': note(
    { services: 'texts' },
    ({ services }) => `not deployed, and a repair deploys nothing new: ${services.join(', ')}`,
  ),
  /** The last generation has the state of a service on a target that knows nothing of it, since its disk is new, or was restored. */
  'state-missing': warning(
    { target: 'prefix', service: 'text' },
    ({ service }) => `Skip state of '${service}': nothing of it is left here, so that it begins anew`,
  ),
  /**
   * A service with state was activated, and now its module does not find it, so it is activated again. If only its server was down, its
   * state is still there. If somebody has dropped it, the service begins anew, empty, and its state comes back with `davit-restore`.
   */
  'state-perhaps-gone': warning(
    { target: 'prefix', service: 'text' },
    ({ service }) =>
      `'${service}' was activated, and its module does not find it: if somebody has removed its state, it begins anew, empty, and 'davit-restore -S ${service}' brings back the last snapshot that this machine keeps`,
  ),
  /**
   * A service moves, and its module has kept nothing of its state. A module of Dysnomia may keep its snapshots under another name: that of
   * its type, if the container has another one. The state is still where it was.
   */
  'state-not-kept': warning(
    { target: 'prefix', service: 'text' },
    ({ service }) => `the state of '${service}' stays here, since its module keeps no snapshot of it`,
  ),
  /**
   * With `--no-upgrade`, the old instance of a service keeps its state, and a new one on another target begins without it. Deploy without
   * that option, so that the state moves, or move it with davit-migrate later.
   */
  'state-not-moved': warning(
    { service: 'text', target: 'prefix', source: 'text' },
    ({ service, source }) =>
      `'${service}' begins here without its state, which stays on '${source}' because of --no-upgrade`,
  ),
  /** A service begins without state, although the coordinator keeps a snapshot of it. Deploy with `--restore` to begin with that. */
  'state-kept': note(
    { service: 'text', target: 'prefix' },
    ({ service }) =>
      `a snapshot of an earlier deployment of '${service}' is kept, and not restored: --restore restores it`,
  ),
  /** Because of `--confirm`, these targets go back to what they ran before, unless they are confirmed in time. */
  'trial-begun': note(
    { targets: 'texts', seconds: 'number' },
    ({ targets, seconds }) =>
      `${namesOf(targets)} will go back by ${targets.length === 1 ? 'itself' : 'themselves'} unless confirmed within ${seconds} s`,
  ),
  /**
   * Nothing on the target can start the way back after a restart: there is no systemd, OpenRC or cron, this account may not use it, or
   * others could put something in the place of what it would start, since they may write on the way to the directory of davit's state.
   * After a restart, the target goes back as soon as davit asks it for something.
   */
  'trial-not-survived': warning(
    { target: 'prefix' },
    () => 'if this machine is restarted before it is confirmed, it goes back only once davit connects to it again',
  ),
  /** All targets that were changed answered over new connections, and stay as they are. */
  'trial-confirmed': note({ targets: 'texts' }, ({ targets }) => `confirmed ${namesOf(targets)} over new connections`),
  /** The deployment failed or was not confirmed, and the target runs exactly what it ran before. */
  'trial-went-back': note({ target: 'prefix' }, () => 'is back to what was active before'),
  /** The target went back, except for some services. Their logs are where those of other activities are. Deploy again. */
  'trial-not-all-back': warning(
    { target: 'prefix', failed: 'texts' },
    ({ failed }) => `went back to what was active before, but could not ${failed.join(', ')}`,
  ),
  /** The target had been confirmed when another one could not be. It runs the new services. Deploy again, or go back. */
  'trial-was-confirmed': warning({ target: 'prefix' }, () => 'was confirmed before, and runs the new services'),
  /** The target still goes back; the next run waits until it has. */
  'trial-goes-back': warning({ target: 'prefix' }, () => 'still goes back to what was active before'),
  /** The target cannot be asked. Unless it was confirmed, it goes back by itself. */
  'trial-unknown': warning(
    { target: 'prefix', reason: 'text', seconds: 'number' },
    ({ reason, seconds }) =>
      `cannot be asked whether it went back, which it does by itself within ${seconds} s: ${reason}`,
  ),
  /** No service has to be activated or deactivated. Remaining deviations were reported before. */
  'nothing-to-do': note({}, () => 'nothing to do'),
  /** All services match the manifest. */
  'all-as-manifest': note({}, () => 'nothing to do: all services match the manifest'),
  /** The manifest is deployed and recorded, and nobody else is at work. davit-env takes no lock and writes nothing. */
  unchanged: note({ everything: 'texts' }, ({ everything }) => {
    const last = everything.length - 1
    const names = last < 1 ? everything.join('') : `${everything.slice(0, last).join(', ')} and ${everything[last]}`
    return `nothing to do: ${names} are as the manifest says`
  }),
})

function namesOf(targets: readonly string[]): string {
  return targets.map((name) => `'${name}'`).join(', ')
}
