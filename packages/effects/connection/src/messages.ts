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
  /**
   * davit-connect has ended or was killed, its socket was removed, or it is of another version of davit; the tool connects to its
   * machines by itself.
   */
  'holder-gone': detail(
    { reason: 'text' },
    ({ reason }) => `cannot use davit-connect: ${reason}; connecting without it`,
  ),
  /**
   * `DAVIT_CONNECT` names a socket in a directory that another user owns or may enter, so the tool connects to its
   * machines by itself. Unset the variable, or start davit-connect as the user who runs the tools.
   */
  'holder-foreign': warning(
    { socket: 'text', reason: 'text' },
    ({ socket, reason }) => `not using the connections at '${socket}': ${reason}`,
    'unset DAVIT_CONNECT, or start davit-connect as the same user',
  ),
  /** The sshd of a machine closed the connection because too many were open at a time; davit tries again. */
  'trying-again': detail({ reason: 'text' }, ({ reason }) => `${reason}; trying again`),
})
