import { posix } from 'node:path'
import { DEFAULT_BASE, type Reference } from './reference.ts'

/** Names of stack files, in the order of their precedence. */
export const MUFILES = ['Mu.json', 'Mu.yaml', 'Mu.yml'] as const

/** Names of workspace files, relative to the workspace, in the order of their precedence. */
export const WORKSPACE_FILES = [
  'Muspace.json',
  'Muspace.yaml',
  'Muspace.yml',
  '.mu/workspace.json',
  '.mu/workspace.yaml',
  '.mu/workspace.yml',
] as const

/** Directories in which stacks are looked up; all absolute. */
export interface StackRoots {
  readonly workspace: string
  readonly home?: string | undefined
  readonly muRoot?: string | undefined
  /** The library that davit ships. */
  readonly library: string
}

/** A directory in which a stack may be. */
export interface StackPlace {
  readonly directory: string
  /** Directory that its templates and packages must not leave. */
  readonly boundary: string
  /** Directory of the workspace or home that it was fetched to. Fetched stacks may have a record of their origin, and are reached through no link. */
  readonly fetchedIn: string | undefined
}

/** Directories of fetched stacks, below a workspace or a home. */
export const FETCHED = ['.Mudeps', '.mu/stacks'] as const

/** Whether a path is in a fetched stack, wherever that is. */
export function isBelowFetched(path: string): boolean {
  return FETCHED.some((directory) => `${path}/`.includes(`/${directory}/`))
}

/** Returns the places of a stack, in the order of their precedence. */
export function placesOf(
  { base = DEFAULT_BASE, name }: Reference,
  { workspace, home, muRoot, library }: StackRoots,
  namespace?: string,
): readonly StackPlace[] {
  const local = namespace !== undefined && name.startsWith(`${namespace}/`) ? name.slice(namespace.length + 1) : name
  // This base leads out of each place, so that only the name counts.
  const withBase = base === '../' ? [] : [`${base}${name}`]
  const paths = [...withBase, name]
  return [
    ...[...withBase, local].map((path) => placeIn(workspace, path, workspace)),
    ...fetchedBelow(workspace, paths),
    ...(home === undefined ? [] : fetchedBelow(home, paths)),
    ...(muRoot === undefined ? [] : installedBelow(muRoot, paths)),
    placeIn(library, name),
  ]
}

function placeIn(root: string, path: string, boundary?: string): StackPlace {
  const directory = posix.join(root, path)
  return { directory, boundary: boundary ?? directory, fetchedIn: undefined }
}

function fetchedBelow(root: string, paths: readonly string[]): readonly StackPlace[] {
  return paths.flatMap((path) =>
    FETCHED.map((directory) => {
      const [first = ''] = directory.split('/')
      return { ...placeIn(posix.join(root, directory), path), fetchedIn: posix.join(root, first) }
    }),
  )
}

function installedBelow(root: string, paths: readonly string[]): readonly StackPlace[] {
  return paths.flatMap((path) => ['lib', 'bin/stacks'].map((directory) => placeIn(posix.join(root, directory), path)))
}
