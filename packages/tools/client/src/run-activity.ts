import { resolve } from 'node:path'

import { HERE } from '@davit/connection'
import { defineTool } from '@davit/tool'

import { carryOut } from './carry-out.ts'
import { refuseTwoModules } from './arguments.ts'
import { description } from './run-activity-description.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { module, ...args } = context.args
    refuseTwoModules(context.args)
    // Where it lies, since it may read files beside it.
    const type = module === undefined ? args.type : resolve(context.workingDirectory, module)
    return carryOut(
      { ...context, args: { ...args, type, module: undefined } },
      { request: HERE, shell: (script) => ['/bin/sh', script] },
    )
  },
})
