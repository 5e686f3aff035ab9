import { readdirSync, readFileSync } from 'node:fs'

import { until } from './wait.ts'

/** Whether a process runs; a zombie does not. */
export function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}

/** Looks without a process after which there is none; one that begins has no environment for a moment. */
const LOOKS = 4

/** Waits until no process has a text in its environment, such as helpers that finish their last request. */
export async function untilNoProcessHas(text: string): Promise<void> {
  let looks = 0
  await until(() => {
    looks = processesWith(text).length > 0 ? 0 : looks + 1
    return looks >= LOOKS
  })
}

function processesWith(text: string): readonly string[] {
  const has = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(text)
    } catch {
      return false
    }
  }
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && has(name))
}
