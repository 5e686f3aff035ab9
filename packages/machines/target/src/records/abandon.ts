import type { ProfileName } from '@davit/documents'

import { fromHexadecimal } from '../helper/answer-lines.ts'
import type { Machine } from '../machine.ts'

export interface AbandonRequest {
  readonly profile: ProfileName
  /** Token of the lock. */
  readonly token: string
  readonly target: string
  /** As in the record or, if it is damaged, in the name of its directory. */
  readonly container: string
  readonly key: string
}

/** Moves a record aside without any activity; returns where it is then on the machine. */
export async function abandonRecord(machine: Machine, request: AbandonRequest): Promise<string> {
  const { target, profile, token, container, key } = request
  const [answer = ''] = await machine.request('abandon', [target, profile, token, container, key])
  return fromHexadecimal(answer.replace(/^kept /, ''))
}
