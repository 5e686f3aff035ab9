import { messages, note, warning } from '@davit/diagnostics'

export const say = messages({
  /** Builds on that machine can see the machine and the network. Install bubblewrap there. */
  'target-builds-not-isolated': note(
    { address: 'text' },
    ({ address }) =>
      `builds on '${address}' are not isolated from that machine, since bubblewrap (bwrap) is missing or not allowed there`,
  ),
  /** Builds on that machine have no network, but can see the machine. Install bubblewrap there. */
  'target-builds-half-isolated': note(
    { address: 'text' },
    ({ address }) =>
      `builds on '${address}' have no network, but can see all of that machine, since bubblewrap (bwrap) is missing or not allowed there`,
  ),
  /** Another process is building the same package on that machine, and davit waits for it. */
  'target-build-awaited': note(
    { package: 'text', address: 'text' },
    ({ package: name, address }) => `waiting for another process that is building '${name}' on '${address}'`,
  ),
  /**
   * A target cannot be reached and is left alone because of `--skip-unreachable`. Deploy again when it can be reached.
   */
  'target-skipped': warning(
    { target: 'prefix', reason: 'text' },
    ({ reason }) => `skipped, since it cannot be reached: ${reason}`,
  ),
  /** The connection to a machine was restored. */
  reconnected: note({ address: 'text' }, ({ address }) => `reconnected to '${address}'`),
  /** The connection to a machine was lost, and davit tries to connect again for this many seconds. */
  reconnecting: warning(
    { address: 'text', seconds: 'number' },
    ({ address, seconds }) => `lost the connection to '${address}': retrying for ${seconds} s`,
  ),
  /** An earlier deployment of this target was not confirmed. davit waits until the target has gone back to what it ran before. */
  'waiting-for-trial': note(
    { target: 'prefix' },
    () => 'waiting until this target has gone back, since an earlier deployment was not confirmed',
  ),
})
