import { parseSshAddress } from '@davit/connection'
import { targetName, type TargetName } from '@davit/documents'

import { isName } from './is-name.ts'

/** Makes the name of a target of the address of a machine: its host, as far as that can be one; undefined if nothing of it can. */
export function targetNameFor(address: string, kind: 'ssh' | 'local'): TargetName | undefined {
  const host = kind === 'ssh' ? parseSshAddress(address).host : address
  const name = host.replace(/[^A-Za-z0-9_.+-]+/g, '-').replace(/^[.+-]+|(?<!-)-+$/g, '')
  return isName(targetName, name) ? name : undefined
}
