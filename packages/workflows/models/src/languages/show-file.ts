import { dirname, join, relative, resolve } from 'node:path'

/** What the user calls a file that is given absolute: what is named as given, others relative or absolute as the first of these. */
export type ShowFile = (path: string) => string

export function showLike(files: readonly string[]): ShowFile {
  const named = new Map(files.map((file) => [resolve(file), file]))
  const [first = '.'] = files
  const directory = dirname(first)
  const near = (path: string) => (first.startsWith('/') ? path : join(directory, relative(resolve(directory), path)))
  return (path) => named.get(path) ?? near(path)
}
