import { messages, note, warning } from '@davit/diagnostics'

export const say = messages({
  'target-builds-not-isolated': note(
    { address: 'text' },
    ({ address }) =>
      `builds on '${address}' are not isolated from that machine, since bubblewrap (bwrap) is missing or not allowed there`,
  ),
  'target-builds-half-isolated': note(
    { address: 'text' },
    ({ address }) =>
      `builds on '${address}' have no network, but are not isolated otherwise, since bubblewrap (bwrap) is missing or not allowed there`,
  ),
  'target-build-awaited': note(
    { package: 'text', address: 'text' },
    ({ package: name, address }) => `'${name}' is already being built on '${address}': waiting for it`,
  ),
  'target-skipped': warning(
    { target: 'prefix', reason: 'text' },
    ({ reason }) => `skipped, since it cannot be reached: ${reason}`,
  ),
  reconnected: note({ address: 'text' }, ({ address }) => `reconnected to '${address}'`),
  reconnecting: warning(
    { address: 'text', seconds: 'number' },
    ({ address, seconds }) => `lost the connection to '${address}': retrying for ${seconds} s`,
  ),
})
