import { detail, messages, warning } from '@davit/diagnostics'

export const say = messages({
  'host-key-added': warning({ address: 'text', key: 'text', file: 'text?' }, ({ address, key, file }) =>
    file === undefined
      ? `accepted the new host key of '${address}' without recording it, since UserKnownHostsFile is none: ${key}`
      : `added the host key of '${address}' to ${file}: ${key}`,
  ),
  'trying-again': detail({ reason: 'text' }, ({ reason }) => `${reason}; trying again`),
})
