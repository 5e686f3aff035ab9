import { statSync } from 'node:fs'
import { userInfo } from 'node:os'

/** The account with whose rights this process acts. */
export interface OwnAccount {
  /** Its number where it has no name, as in containers. */
  readonly name: string
  readonly uid: number
  readonly gid: number
}

export function ownAccount(): OwnAccount {
  try {
    const { username, uid, gid } = userInfo()
    return { name: username, uid, gid }
  } catch {
    const { uid, gid } = statSync('/proc/self')
    return { name: String(uid), uid, gid }
  }
}
