import { resolve } from 'node:path'

import { acceptFindings, chooseTarget, compileStack, type StackFinding } from '@davit/stack'
import { checkArguments, compileOptions, openStack, stackFiles } from '@davit/stack-workspace'
import type { ArgumentsOf, Run } from '@davit/tool'

import { backEndOf, encodeCompiled } from './back-ends.ts'
import type { description } from './description.ts'
import type { Previous } from './previous.ts'

type Given = ArgumentsOf<typeof description.options, Record<never, never>>

export interface CompileOptions extends Omit<
  Given,
  'previous' | 'listArguments' | 'listClusters' | 'origin' | 'output'
> {
  /** Stack file, or the directory where the search for it begins. */
  readonly stack: string
  readonly arguments: readonly string[]
  /** Reads what is deployed, if the target needs it. */
  readonly previous: () => Promise<Previous>
}

export interface Compiled {
  /** What the target understands. */
  readonly text: string
  /** Encodes the compiled stack. */
  readonly stack: () => string
}

/** Compiles a stack to what its target understands; for machines, that is an architecture model. */
export async function compile(options: CompileOptions, run: Run): Promise<Compiled> {
  const { environment, report, workingDirectory } = run
  const accept = (findings: readonly StackFinding[]) => acceptFindings(findings, report)
  checkArguments(options.arguments, report)
  const files = stackFiles(workingDirectory)
  const opened = openStack(resolve(workingDirectory, options.stack), files)
  const { path = '', workspace } = opened
  const { skipCodegen: skipsCode, arguments: words } = options
  const choice = { ...options, hasInfrastructure: options.infrastructure !== undefined, skipsCode }
  const chosen = chooseTarget(workspace, choice)
  accept([...opened.findings, ...chosen.findings])
  const backEnd = backEndOf(chosen.cloud, skipsCode)
  const outcome = compileStack(path, compileOptions(opened, { files, environment, chosen, words, skipsCode }))
  accept(outcome.findings)
  if (outcome.kind === 'refused') throw withoutFinding()
  const emission = await backEnd(outcome.stack, { ...run, args: options })
  accept(emission.findings)
  if (emission.kind !== 'emitted') throw withoutFinding()
  return { text: emission.text, stack: () => encodeCompiled(outcome.stack) }
}

/** Whoever refuses a stack says why. */
function withoutFinding(): Error {
  return new Error('a stack was refused without a finding')
}
