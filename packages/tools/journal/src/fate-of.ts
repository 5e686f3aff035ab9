import { isProcessGone, processIdentity, wasRestartedSince } from '@davit/process'

import type { Fate } from './summary-of.ts'

/** Returns a function that tells whether a process still runs, as far as this machine can know. */
export function fateFrom(here = processIdentity()): Fate {
  return (begin) => {
    if (begin.bootId === here.bootId && begin.bootId !== '') {
      if (begin.namespace !== here.namespace) return 'unknown'
      return isProcessGone(begin) ? 'gone' : 'alive'
    }
    return wasRestartedSince(begin, here) ? 'gone' : 'unknown'
  }
}
