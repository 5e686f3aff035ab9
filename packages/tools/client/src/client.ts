import { sshArguments } from '@davit/connection'
import { defineTool, usageError } from '@davit/tool'

import { carryOut } from './carry-out.ts'
import { description } from './client-description.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, environment } = context
    if (args.target === '') throw usageError('the target is empty', 'name a machine with --target HOST')
    const reach = sshArguments(args.target, { environment, role: 'target' })
    return carryOut(
      { ...context, args: { ...args, environment: false } },
      {
        request: [{ kind: 'ssh', address: args.target }],
        shell: (script) => ['ssh', '-tt', ...reach, `exec /bin/sh ${script}`],
      },
    )
  },
})
