import type { FullReference, Workspace } from '@davit/stack'

/** Where a stack comes from: a repository, and a directory in it, which is empty for its root. */
export interface Origin {
  readonly url: string
  readonly directory: string
}

/** Returns where the workspace, or else the reference itself, says that a stack is. */
export function originOf({ protocol, base, name }: FullReference, { repositories }: Workspace): Origin {
  const path = `${base}${name}`
  const fitting = repositories.filter(({ prefix }) =>
    prefix.endsWith('/') ? path.startsWith(prefix) : path === prefix,
  )
  const [longest] = fitting.toSorted((left, right) => right.prefix.length - left.prefix.length)
  if (longest !== undefined) return { url: longest.url, directory: path.slice(longest.prefix.length) }
  const parts = name.split('/')
  return { url: `${protocol}${base}${parts.slice(0, 2).join('/')}`, directory: parts.slice(2).join('/') }
}
