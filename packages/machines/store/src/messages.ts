import { messages, note } from '@davit/diagnostics'

export const say = messages({
  /** Builds can see this machine and the network. Install bubblewrap to isolate them. */
  'builds-not-isolated': note(
    {},
    () => 'builds are not isolated from this machine, since bubblewrap (bwrap) is missing or not allowed here',
  ),
  /** Builds have no network, but can see this machine. Install bubblewrap to isolate them. */
  'builds-half-isolated': note(
    {},
    () =>
      'builds have no network, but can see all of this machine, since bubblewrap (bwrap) is missing or not allowed here',
  ),
  /** Another process is building the same package, and davit waits for it. */
  'build-awaited': note(
    { package: 'text' },
    ({ package: name }) => `waiting for another process that is building '${name}'`,
  ),
})
