import { chmodSync, copyFileSync, lchownSync, lstatSync, renameSync, type Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import { walkTree } from '@davit/files'

/**
 * Gives a tree that is not in its place yet the permissions of packages: 0444, 0555 for executables and directories. Its root remains
 * writable, since it could not be moved otherwise (see `sealRoot`).
 */
export function normalizeTree(root: string): void {
  const owner = lstatSync(dirname(root))
  const directories: string[] = []
  for (const entry of walkTree(root)) {
    const path = join(root, entry.path)
    const status = lstatSync(path)
    if (status.uid !== owner.uid || status.gid !== owner.gid) lchownSync(path, owner.uid, owner.gid)
    if (entry.kind === 'directory') {
      chmodSync(path, 0o755)
      directories.push(path)
      continue
    }
    if (entry.kind === 'file') normalizeFile(path, status)
  }
  for (const directory of directories.toReversed()) {
    if (directory !== root) chmodSync(directory, 0o555)
  }
}

/** Makes the root of a tree read-only, as the last step, when the tree is in its place. */
export function sealRoot(root: string): void {
  if (lstatSync(root).isDirectory()) chmodSync(root, 0o555)
}

function normalizeFile(path: string, status: Stats): void {
  if (status.nlink > 1) breakLink(path)
  const mode = (status.mode & 0o100) === 0 ? 0o444 : 0o555
  if ((status.mode & 0o7777) !== mode || status.nlink > 1) chmodSync(path, mode)
}

/** Replaces a hard link by a copy: it may share its content, and permissions, with a file outside the store. */
function breakLink(path: string): void {
  const copy = `${path}.davit-copy`
  copyFileSync(path, copy)
  renameSync(copy, path)
}
