import { messages, note } from '@davit/diagnostics'

export const say = messages({
  'builds-not-isolated': note(
    {},
    () => 'builds are not isolated from this machine, since bubblewrap (bwrap) is missing or not allowed here',
  ),
  'builds-half-isolated': note(
    {},
    () =>
      'builds have no network, but can see all of this machine, since bubblewrap (bwrap) is missing or not allowed here',
  ),
  'build-awaited': note(
    { package: 'text' },
    ({ package: name }) => `waiting for another process that is building '${name}'`,
  ),
})
