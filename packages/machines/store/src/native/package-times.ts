import { lutimesSync } from 'node:fs'
import { join } from 'node:path'
import { walkTree } from '@davit/files'

/** The time of everything in packages that earlier versions of davit have made. */
const EARLIER = 1

/** Everything in a package has the time of its content, from this second on, for as many seconds as seven hexadecimal digits have values. */
const FIRST = 1_000_000_000
const DIGITS = 7

/**
 * Returns the time of everything in a package with this content, in seconds since 1970: the same on all machines, and another one for
 * another content, since web servers tell versions of a file apart by time and size. It is one time for the whole package: programs such
 * as make compare the times of files, and find none of them outdated.
 */
export function timeOfContent(contentHash: string): number {
  return FIRST + Number.parseInt(contentHash.replace(/^sha256:/, '').slice(0, DIGITS), 16)
}

/** Whether something in a package has the time that it was given, in milliseconds. */
export function isTimeOfContent(milliseconds: number, contentHash: string): boolean {
  return milliseconds === timeOfContent(contentHash) * 1000 || milliseconds === EARLIER * 1000
}

/** Gives everything in a tree the time of its content. */
export function setTimes(root: string, contentHash: string): void {
  const time = timeOfContent(contentHash)
  for (const { path } of walkTree(root)) lutimesSync(join(root, path), time, time)
}
