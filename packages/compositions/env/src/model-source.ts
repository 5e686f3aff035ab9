import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { Steps, ToolContext } from '@davit/tool'

import { MACHINES } from './check-stack.ts'
import type { ModelOrder } from './model-options.ts'
import type { StackOrder } from './stack-options.ts'
import { compileStack, generations } from './tools.ts'
import { modelWords, wordsOf } from './words.ts'

type Given = ModelOrder & StackOrder & { readonly store: string | undefined }

export interface SourceTerms {
  readonly steps: Steps
  /** For files that only this run needs. */
  readonly directory: string
  readonly readInput: ToolContext<unknown>['readInput']
}

/** What davit-normalize is given. */
export interface ModelSource {
  readonly words: readonly string[]
  /** Text on its standard input. */
  readonly input?: string
}

/** Returns how davit-normalize finds the models of an order; a stack is compiled for that. */
export async function modelSource(order: Given, terms: SourceTerms): Promise<ModelSource> {
  if (order.stack === undefined) {
    if (order.architecture !== STANDARD_INPUT) return { words: modelWords(order) }
    return { words: modelWords(order), input: (await terms.readInput(STANDARD_INPUT)).text }
  }
  const input = await compiled(order, order.stack, terms)
  return { words: modelWords({ ...order, architecture: STANDARD_INPUT, infrastructure: undefined }), input }
}

const STANDARD_INPUT = '-'

/** Compiles a stack to an architecture model, in which what is deployed stays where it is. */
async function compiled(order: Given, stack: string, { steps, directory }: SourceTerms): Promise<string> {
  const { cluster, target = MACHINES, infrastructure, noReplace } = order
  const previous = await previousFiles(steps, directory)
  const words = wordsOf({ cluster, target, infrastructure, noReplace, previous })
  return steps.run(compileStack, [...words, stack, '--', ...order.arguments])
}

/** Has what is deployed, and the stack that it was made from, in files. */
async function previousFiles(steps: Steps, directory: string): Promise<readonly string[]> {
  const files: string[] = []
  for (const [name, words] of Object.entries({ deployed: [], stack: ['--stack'] })) {
    const text = await steps.run(generations, ['--current', ...words])
    if (text === '') continue
    const file = join(directory, name)
    await writeFile(file, text, { mode: 0o600 })
    files.push(file)
  }
  return files
}
