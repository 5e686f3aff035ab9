import { detail, messages, warning } from '@davit/diagnostics'

export const say = messages({
  /**
   * The host key of a machine that was not known before was accepted, as `StrictHostKeyChecking` allows. Compare the
   * fingerprint.
   */
  'host-key-added': warning({ address: 'text', key: 'text', file: 'text?' }, ({ address, key, file }) =>
    file === undefined
      ? `accepted the new host key of '${address}' without recording it, since UserKnownHostsFile is none: ${key}`
      : `added the host key of '${address}' to ${file}: ${key}`,
  ),
  /** The sshd of a machine closed the connection because too many were open at a time; davit tries again. */
  'trying-again': detail({ reason: 'text' }, ({ reason }) => `${reason}; trying again`),
})
