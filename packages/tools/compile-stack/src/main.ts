import { resolve } from 'node:path'

import { nameLines } from '@davit/diagnostics'
import { openStack, stackFiles } from '@davit/stack-workspace'
import { defineTool, handOn } from '@davit/tool'

import { compile } from './compile.ts'
import { description } from './description.ts'
import { argumentsFor } from './list-arguments.ts'
import { readPrevious } from './previous.ts'

export { compile } from './compile.ts'
export { description } from './description.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, print, workingDirectory } = context
    const { stack = '.' } = args
    if (args.listArguments) return print(nameLines(argumentsFor(args.arguments, context, description.options)))
    if (args.listClusters) {
      const { workspace } = openStack(resolve(workingDirectory, stack), stackFiles(workingDirectory))
      return print(nameLines([...workspace.clusters.keys()]))
    }
    const previous = () => readPrevious(args.previous, context)
    const compiled = await compile({ ...args, stack, previous }, context)
    await handOn(context, () => ({ stack: compiled.stack() }))
    await print(compiled.text)
  },
})
