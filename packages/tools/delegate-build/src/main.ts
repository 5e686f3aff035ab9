import { BuildModel, encodeDocument } from '@davit/documents'
import { defineTool, usageError } from '@davit/tool'

import { assignmentFrom } from './assignment.ts'
import { carryOutAssignment } from './delegate-build.ts'
import { description } from './description.ts'

export { delegateBuild } from './delegate-build.ts'
export { description } from './description.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, print } = context
    if (args.build !== undefined && args.architecture !== undefined) {
      throw usageError('an architecture and a build model cannot be combined', 'give either -B FILE or an architecture')
    }
    const assignment = await assignmentFrom(args, context)
    if (args.print) return print(encodeDocument(BuildModel, assignment.buildModel, args.format))
    await carryOutAssignment(assignment, args, context)
    await print(assignment.text)
  },
})
