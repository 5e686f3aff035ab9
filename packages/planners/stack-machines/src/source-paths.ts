import { dirname, posix, resolve } from 'node:path'
import type { StackFile, StackFiles } from '@davit/stack'
import type { PathInStack } from './unit.ts'

/** Returns the path that a stack file names, if it is there and belongs to the workspace, or to the fetched stack. */
export function pathInStack(files: StackFiles, { path, boundary }: StackFile, text: string): PathInStack {
  const wanted = resolve(dirname(path), text)
  const real = files.realPath(wanted)
  if (real === undefined) return { problem: 'there is nothing' }
  const limit = files.realPath(boundary) ?? boundary
  const relative = posix.relative(limit, real)
  const isOutside = relative === '..' || relative.startsWith('../')
  return isOutside ? { problem: `it is outside ${files.shown(boundary)}` } : { path: wanted }
}
