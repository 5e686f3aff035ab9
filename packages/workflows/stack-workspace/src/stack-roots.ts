import { isAbsolute } from 'node:path'
import type { Environment } from '@davit/process'
import type { StackRoots } from '@davit/stack'
import { LIBRARY_DIRECTORY } from '@davit/stack-library'

/** Returns the directories in which the stacks of a workspace are looked up. */
export function stackRoots(workspace: string, { HOME, MUROOT }: Environment): StackRoots {
  return { workspace, home: absolute(HOME), muRoot: absolute(MUROOT), library: LIBRARY_DIRECTORY }
}

function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined
}
