import { defineTool } from '@davit/tool'

import { checkOrder } from './check-order.ts'
import { deploy } from './deploy.ts'
import { description } from './description.ts'
import { originOf } from './origin.ts'
import { privateDirectories } from './private-directories.ts'
import { variablesOf } from './words.ts'

export const tool = defineTool({
  ...description,
  async run({ args, environment, workingDirectory, report, runSteps }) {
    checkOrder(args)
    const directories = privateDirectories(environment['TMPDIR'] || '/tmp', args.profile)
    const origin = originOf(args, workingDirectory)
    return runSteps(variablesOf(args), (steps) => deploy(args, steps, { directories, origin, report }))
  },
})
