import type { Environment } from '@davit/process'
import { type ChosenTarget, type CompileOptions, parseArguments, type StackFiles } from '@davit/stack'
import type { OpenedStack } from './open-workspace.ts'
import { stackRoots } from './stack-roots.ts'

export interface Compiling {
  readonly files: StackFiles
  readonly environment: Environment
  readonly chosen: ChosenTarget
  /** Arguments of the stack, as they are behind `--`. */
  readonly words: readonly string[]
  readonly skipsCode: boolean
}

/** Puts together what a stack of a workspace is compiled with. */
export function compileOptions(
  { root, workspace }: Omit<OpenedStack, 'path'>,
  { files, environment, chosen, words, skipsCode }: Compiling,
): CompileOptions {
  const { cluster, cloud, scheduler } = chosen
  const target = { cloud, scheduler }
  const roots = stackRoots(root, environment)
  return { files, roots, workspace, cluster, target, arguments: parseArguments(words), skipsCode }
}
