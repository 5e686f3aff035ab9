import type { DavitError } from '@davit/diagnostics'
import { systemErrorCode } from '@davit/files'
import { connectionLost } from '../channel-exit.ts'

/** The holder has ended, or does not answer. */
export class HolderGone extends Error {}

/** Why a socket of a holder cannot be connected to. */
export function noHolder(socket: string, cause: unknown): HolderGone {
  const isMissing = systemErrorCode(cause) === 'ENOENT'
  return new HolderGone(isMissing ? `its socket '${socket}' is gone` : 'it has ended', { cause })
}

/** What became of a link when its holder went away. */
export function holderGone(address: string): DavitError {
  return connectionLost(address, 'davit-connect, which held it, is gone')
}
