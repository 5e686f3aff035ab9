import type { Workspace } from '../workspace/workspace.ts'
import type { FullReference } from './reference.ts'

/** Where a stack comes from: a repository, and a directory in it, which is empty for its root. */
export interface Origin {
  readonly url: string
  readonly directory: string
  /** Whether the workspace names the repository; else the reference itself is its address. */
  readonly isNamed: boolean
}

/** Returns where the workspace, or else the reference itself, says that a stack is. */
export function originOf({ protocol, base, name }: FullReference, { repositories }: Workspace): Origin {
  const path = `${base}${name}`
  const fitting = repositories.filter(({ prefix }) =>
    prefix.endsWith('/') ? path.startsWith(prefix) : path === prefix,
  )
  const [longest] = fitting.toSorted((left, right) => right.prefix.length - left.prefix.length)
  if (longest !== undefined) return { url: longest.url, directory: path.slice(longest.prefix.length), isNamed: true }
  const parts = name.split('/')
  const url = `${protocol}${base}${parts.slice(0, 2).join('/')}`
  return { url, directory: parts.slice(2).join('/'), isNamed: false }
}
