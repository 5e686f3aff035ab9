import { detail, messages, warning } from '@davit/diagnostics'

export const say = messages({
  'host-key-added': warning(
    { address: 'text', key: 'text', file: 'text?' },
    ({ address, key, file = 'no file, since UserKnownHostsFile is none' }) =>
      `added the host key of '${address}' to ${file}: ${key}`,
  ),
  'trying-again': detail({ reason: 'text' }, ({ reason }) => `${reason}; trying again`),
})
