import { dirname, posix, resolve } from 'node:path'
import type { StackFile, StackFiles } from '@davit/stack'
import type { PathInStack } from './unit.ts'

/** Returns a function that finds the paths of stack files; each is looked up once. */
export function pathFinder(files: StackFiles): (file: StackFile, text: string) => PathInStack {
  const known = new Map<StackFile, Map<string, PathInStack>>()
  return (file, text) => {
    const paths = known.get(file) ?? new Map<string, PathInStack>()
    const path = paths.get(text) ?? pathInStack(files, file, text)
    known.set(file, paths.set(text, path))
    return path
  }
}

/** Returns the path that a stack file names, if it is there and belongs to the workspace, or to the fetched stack. */
function pathInStack(files: StackFiles, { path, boundary }: StackFile, text: string): PathInStack {
  const wanted = resolve(dirname(path), text)
  const real = files.realPath(wanted)
  if (real === undefined) return { problem: 'there is nothing' }
  const limit = files.realPath(boundary) ?? boundary
  const relative = posix.relative(limit, real)
  const isOutside = relative === '..' || relative.startsWith('../')
  return isOutside ? { problem: `it is outside ${files.shown(boundary)}` } : { path: wanted }
}
