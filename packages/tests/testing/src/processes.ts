import { readdirSync, readFileSync } from 'node:fs'

/** Whether a process runs; a zombie does not. */
export function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}

/** Waits for a condition, with enough time for a busy machine. */
export async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 40_000
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`gave up waiting for ${condition.toString()}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
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
