import { chmodSync, lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { systemErrorCode } from './system-error.ts'

/** Removes a file or directory if it is there, read-only directories in it included; follows no link. */
export function removeTree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch (error) {
    if (!['EACCES', 'EPERM', 'ENOTEMPTY'].includes(systemErrorCode(error) ?? '')) throw error
    unlessGone(() => makeWritable(path))
    rmSync(path, { recursive: true, force: true })
  }
}

function makeWritable(path: string): void {
  if (!lstatSync(path).isDirectory()) return
  chmodSync(path, 0o700)
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) unlessGone(() => makeWritable(join(path, entry.name)))
  }
}

/** Somebody else may be removing the same tree. */
function unlessGone(act: () => void): void {
  try {
    act()
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error
  }
}
