import { readFileSync } from 'node:fs'

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
