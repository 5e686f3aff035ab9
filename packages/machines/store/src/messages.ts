import { messages, note } from '@davit/diagnostics'

export const say = messages({
  'builds-not-isolated': note(
    {},
    () => 'builds are not isolated from this machine, since bubblewrap (bwrap) is missing or not allowed here',
  ),
  'builds-half-isolated': note(
    {},
    () =>
      'builds are kept from the network, but see all of this machine, since bubblewrap (bwrap) is missing or not allowed here',
  ),
  'build-awaited': note({ package: 'text' }, ({ package: name }) => `another process builds '${name}': waiting for it`),
})
