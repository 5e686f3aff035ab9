import { defineTool, trustUnless } from '@davit/tool'

import { checkOrder } from './check-order.ts'
import { deploy } from './deploy.ts'
import { description } from './description.ts'
import { originOf } from './origin.ts'
import { readPlanned } from './planned.ts'
import { profileOfOrder } from './profile-of-order.ts'
import { privateDirectories } from './private-directories.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, environment, workingDirectory, readInput, runSteps } = context
    checkOrder(args)
    const planned = await readPlanned(context)
    const order = planned?.order ?? { ...args, profile: await profileOfOrder(args, context) }
    const directories = privateDirectories(environment['TMPDIR'] || '/tmp', order.profile)
    const origin = originOf(order, workingDirectory)
    const trust = await trustUnless({ ...context, args: order })
    return runSteps((steps) => deploy(order, { steps, context, directories, origin, readInput, trust, planned }))
  },
})
