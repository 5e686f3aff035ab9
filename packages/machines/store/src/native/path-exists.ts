import { lstatSync } from 'node:fs'

/** Whether there is anything of this name, be it a link that leads nowhere. */
export function pathExists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}
