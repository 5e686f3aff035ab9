import { readFileSync } from 'node:fs'

/** Whether the process runs; not so once it has ended, even if nobody has asked yet how. */
export function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}

/** Waits for a condition, as long as a busy machine may take. */
export async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 40_000
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`waited in vain for ${condition.toString()}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
