import { lstatSync } from 'node:fs'

/** Whether a path exists, even as a dangling link. */
export function pathExists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}
