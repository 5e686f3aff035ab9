import { readdirSync, readFileSync } from 'node:fs'

/** Peak of resident memory, in bytes. */
export interface Memory {
  /** Peak of a process and all its descendants together. Shared pages count for each process. */
  readonly tree: number
  /** Peak of the biggest one of these processes. */
  readonly biggest: number
}

export const NO_MEMORY: Memory = { tree: 0, biggest: 0 }

/** Returns the peak so far, updated with the current memory of a process tree. */
export function addTo(worst: Memory, root: number | undefined): Memory {
  if (root === undefined) return worst
  const processes = treeOf(root).map(residentOf)
  return {
    tree: Math.max(
      worst.tree,
      processes.reduce((sum, { now }) => sum + now, 0),
    ),
    biggest: Math.max(worst.biggest, ...processes.map(({ peak }) => peak)),
  }
}

function treeOf(root: number): readonly number[] {
  return [root, ...childrenOf(root).flatMap(treeOf)]
}

/** Returns the children of a process, which are listed for each of its threads. */
function childrenOf(process: number): readonly number[] {
  const threads = `/proc/${process}/task`
  try {
    return readdirSync(threads).flatMap((thread) => numbersIn(`${threads}/${thread}/children`))
  } catch {
    return []
  }
}

function numbersIn(file: string): readonly number[] {
  const words = readFileSync(file, 'utf8').split(' ')
  return words.filter((word) => word !== '').map(Number)
}

function residentOf(process: number): { readonly now: number; readonly peak: number } {
  try {
    const status = readFileSync(`/proc/${process}/status`, 'utf8')
    return { now: kilobytesIn(status, 'VmRSS') * 1024, peak: kilobytesIn(status, 'VmHWM') * 1024 }
  } catch {
    return { now: 0, peak: 0 }
  }
}

function kilobytesIn(status: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0)
}
