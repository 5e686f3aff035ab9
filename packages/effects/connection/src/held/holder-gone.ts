import type { DavitError } from '@davit/diagnostics'
import { connectionLost } from '../channel-exit.ts'

/** The holder has ended, or does not answer. */
export class HolderGone extends Error {}

/** What became of a link when its holder went away. */
export function holderGone(address: string): DavitError {
  return connectionLost(address, 'davit-connect, which held it, is gone')
}
