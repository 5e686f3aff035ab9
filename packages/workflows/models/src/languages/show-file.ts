import { dirname, join, relative, resolve } from 'node:path'

/** Returns the user's name for an absolute path: files of the command line as given, others relative or absolute like the first of them. */
export type ShowFile = (path: string) => string

export function showLike(files: readonly string[]): ShowFile {
  const named = new Map(files.map((file) => [resolve(file), file]))
  const [first = '.'] = files
  const directory = dirname(first)
  const near = (path: string) => (first.startsWith('/') ? path : join(directory, relative(resolve(directory), path)))
  return (path) => named.get(path) ?? near(path)
}
