import { messages, note, warning } from '@davit/diagnostics'

const SERVICE = { service: 'text', target: 'prefix' } as const

export const say = messages({
  /** Nothing is kept of the state of a service, since its module takes no snapshots. Use a module that has the activity `snapshot`. */
  'not-snapshotted': warning(
    SERVICE,
    ({ service }) => `there is no snapshot of '${service}' to fetch: its module takes none`,
  ),
  /**
   * `--direct` was given, but one machine could not send the state to the other by itself: it travels through the coordinator instead.
   * Directly, it needs an ssh agent, whose keys the receiving machine accepts, and a sending machine that may reach the other.
   */
  'not-direct': warning(
    { component: 'text', source: 'text', target: 'text', reason: 'text' },
    ({ component, source, target, reason }) =>
      `'${source}' cannot send the state of '${component}' directly to '${target}', so it travels through this machine: ${reason}`,
  ),
  /** The latest snapshot of the state of a service was loaded beside the service, and equals what was loaded. */
  'snapshot-loaded': note(
    { ...SERVICE, snapshot: 'text' },
    ({ service, snapshot }) => `the snapshot ${snapshot} of '${service}' is verified: it was loaded, and compared`,
  ),
  /**
   * The content of the latest snapshot of the state of a service is what was saved. It was not loaded: the module of the service has no
   * activity `verify`, as files need none.
   */
  'snapshot-compared': note(
    { ...SERVICE, snapshot: 'text' },
    ({ service, snapshot }) =>
      `the snapshot ${snapshot} of '${service}' is verified: it was unpacked, and its content compared; its module loads none`,
  ),
  /** No snapshot of the state of a service is kept on the coordinator, so nothing is restored. */
  'nothing-kept': warning(
    SERVICE,
    ({ service }) => `no snapshot of '${service}' is kept on this machine, so it is not restored`,
  ),
  /**
   * Snapshots of the state of a service were altered on the disk of a machine, so that nothing that builds on them could be restored. They
   * were moved aside, to `damaged` beside the others, and what was needed of them was taken or sent anew.
   */
  'snapshots-damaged': warning(
    { target: 'prefix', component: 'text', damage: 'text' },
    ({ component, damage }) => `snapshots of '${component}' were damaged, and were moved aside: ${damage}`,
  ),
  /** The state of a service is not deleted, because a service that is active uses it. */
  'state-in-use': note(SERVICE, ({ service }) => `the state of '${service}' is in use, and not deleted`),
  /** There is no state of a service that waits to be deleted: it was never active there, or its state was deleted before. */
  'state-unknown': note(SERVICE, ({ service }) => `there is no state of '${service}' to delete`),
})
