import { readdirSync, readFileSync } from 'node:fs'

/** O_CLOEXEC of Linux; the flags in /proc are octal. */
const CLOSED_ON_EXEC = 0o2_000_000

/** Highest number that is looked at: a program is started with a table of that length. */
const HIGHEST = 65_535

/**
 * Descriptors, beyond the standard streams, that this process has from its caller, and that programs which it starts would have too. Node.js
 * closes those that begin right after the standard streams, and its own; not a lock that a script holds as 200. None without /proc.
 */
export function inheritedDescriptors(): readonly number[] {
  return numbersIn('/proc/self/fd').filter((number) => number > 2 && number <= HIGHEST && isPassedOn(number))
}

function numbersIn(directory: string): readonly number[] {
  try {
    return readdirSync(directory).map(Number)
  } catch {
    return []
  }
}

function isPassedOn(number: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${number}`, 'latin1'))?.[1]
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSED_ON_EXEC) === 0
  } catch {
    // It was that of the directory.
    return false
  }
}
